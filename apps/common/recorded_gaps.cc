#include "apps/common/recorded_gaps.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace mpiactor::apps {
namespace {

static_assert(std::endian::native == std::endian::little, "traces are little-endian");

// The layout of the file, as docs/tracing.md has it.
constexpr std::string_view kMagic = "MPIACTRC";
constexpr std::size_t kHeaderBytes = 512;
constexpr std::size_t kCallSiteBytes = 512;
constexpr std::size_t kRecordBytes = 128;
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kClosedAt = 20;
constexpr std::size_t kRanksAt = 24;
constexpr std::size_t kRankAt = 28;
constexpr std::size_t kRecordsAt = 64;
constexpr std::size_t kCallSiteRoomAt = 308;
constexpr std::size_t kExitAt = 32;   // in a record, whose arrival is at 0
constexpr std::size_t kStampAt = 77;  // in a record
constexpr std::uint32_t kVersion = 3;
constexpr std::uint8_t kWholeRecord = 0xa5;

struct Call {
  std::int64_t arrival_ns = 0;
  std::int64_t exit_ns = 0;
};

template <typename Number>
Number number_at(std::string_view data, std::size_t offset) {
  Number number{};
  std::memcpy(&number, data.data() + offset, sizeof number);
  return number;
}

[[noreturn]] void refuse(std::size_t offset, const std::string& why) {
  throw std::runtime_error(fmt::format("offset {}: {}", offset, why));
}

std::string contents_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("cannot be opened: {}", std::strerror(errno)));
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Refuses a header at `offset` that is no complete rank's of a job of `ranks`.
void check_header(std::string_view data, std::size_t offset, int ranks) {
  if (data.size() - offset < kHeaderBytes || data.substr(offset, kMagic.size()) != kMagic) {
    refuse(offset, "is no section of a trace");
  }
  const auto version = number_at<std::uint32_t>(data, offset + kVersionAt);
  if (version != kVersion) {
    refuse(offset, fmt::format("format version {}; allowed is {}", version, kVersion));
  }
  if (number_at<std::uint32_t>(data, offset + kClosedAt) != 1) {
    refuse(offset, "was not completed; the recorded run must have ended by MPI_Finalize");
  }
  const auto recorded = number_at<std::uint32_t>(data, offset + kRanksAt);
  if (recorded != static_cast<std::uint32_t>(ranks)) {
    refuse(offset, fmt::format("is of {} ranks; this run has {}", recorded, ranks));
  }
  const auto rank = number_at<std::uint32_t>(data, offset + kRankAt);
  if (rank >= recorded) refuse(offset, fmt::format("is of rank {} of {}", rank, recorded));
}

// The calls of the section at `offset`, which is moved behind it.
std::vector<Call> read_calls(std::string_view data, std::size_t& offset) {
  const auto records = number_at<std::uint64_t>(data, offset + kRecordsAt);
  const auto room = number_at<std::uint32_t>(data, offset + kCallSiteRoomAt);
  const std::size_t begin = offset + kHeaderBytes + std::size_t{room} * kCallSiteBytes;
  if (begin > data.size() || records > (data.size() - begin) / kRecordBytes) {
    refuse(offset, fmt::format("its {} records are not all there", records));
  }
  std::vector<Call> calls;
  calls.reserve(records);
  for (std::uint64_t i = 0; i < records; ++i) {
    const std::size_t at = begin + i * kRecordBytes;
    if (number_at<std::uint8_t>(data, at + kStampAt) != kWholeRecord) {
      refuse(at, "is no whole record");
    }
    calls.push_back(
        {number_at<std::int64_t>(data, at), number_at<std::int64_t>(data, at + kExitAt)});
  }
  offset = begin + records * kRecordBytes;
  // They lie in the order of a ring.
  std::sort(calls.begin(), calls.end(),
            [](const Call& a, const Call& b) { return a.arrival_ns < b.arrival_ns; });
  return calls;
}

std::vector<std::int64_t> gaps_between(const std::vector<Call>& calls) {
  std::vector<std::int64_t> gaps_ns;
  std::int64_t left_ns = calls.empty() ? 0 : calls.front().exit_ns;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    gaps_ns.push_back(std::max<std::int64_t>(0, calls[i].arrival_ns - left_ns));
    left_ns = std::max(left_ns, calls[i].exit_ns);
  }
  return gaps_ns;
}

}  // namespace

std::vector<std::vector<std::int64_t>> read_recorded_gaps(const std::string& file, int ranks) {
  const std::string data = contents_of(file);
  if (data.empty()) throw std::runtime_error("is empty");
  std::vector<std::vector<std::int64_t>> gaps_ns(static_cast<std::size_t>(ranks));
  for (std::size_t offset = 0; offset < data.size();) {
    check_header(data, offset, ranks);
    const auto rank = number_at<std::uint32_t>(data, offset + kRankAt);
    gaps_ns[rank] = gaps_between(read_calls(data, offset));
  }
  for (std::size_t rank = 0; rank < gaps_ns.size(); ++rank) {
    if (!gaps_ns[rank].empty()) continue;
    throw std::runtime_error(
        fmt::format("rank {} has fewer than two collectives, between which it computes", rank));
  }
  return gaps_ns;
}

}  // namespace mpiactor::apps
