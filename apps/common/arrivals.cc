#include "apps/common/arrivals.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <functional>

namespace mpiactor::apps {
namespace {

// The kernel's boot id is the same in all its namespaces and differs between machines.
bool one_kernel(MPI_Comm comm) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  const std::uint64_t mine = std::hash<std::string>{}(id);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  MPI_Allreduce(&mine, &low, 1, MPI_UINT64_T, MPI_MIN, comm);
  MPI_Allreduce(&mine, &high, 1, MPI_UINT64_T, MPI_MAX, comm);
  return low == high;
}

}  // namespace

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string to_text(const std::string& program, const ArrivalSpread& spread) {
  if (!spread.comparable) {
    return program +
           ": arrival_spread_mean_us=unknown arrival_spread_max_us=unknown (several clocks)";
  }
  return fmt::format("{}: arrival_spread_mean_us={:.1f} arrival_spread_max_us={:.1f}", program,
                     spread.mean_us, spread.max_us);
}

ArrivalSpread ArrivalLog::spread(MPI_Comm comm) const {
  ArrivalSpread result;
  result.comparable = one_kernel(comm);
  if (!result.comparable || entries_ns_.empty()) return result;

  // In chunks: the result needs two buffers of the chunk's size only.
  constexpr std::size_t kChunk = 4096;
  std::vector<std::int64_t> first(kChunk);
  std::vector<std::int64_t> last(kChunk);
  double sum_ns = 0.0;
  std::int64_t max_ns = 0;
  for (std::size_t begin = 0; begin < entries_ns_.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, entries_ns_.size() - begin);
    const int mpi_count = static_cast<int>(count);
    MPI_Allreduce(&entries_ns_[begin], first.data(), mpi_count, MPI_INT64_T, MPI_MIN, comm);
    MPI_Allreduce(&entries_ns_[begin], last.data(), mpi_count, MPI_INT64_T, MPI_MAX, comm);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t spread_ns = last[i] - first[i];
      sum_ns += static_cast<double>(spread_ns);
      max_ns = std::max(max_ns, spread_ns);
    }
  }
  result.mean_us = sum_ns / static_cast<double>(entries_ns_.size()) * 1e-3;
  result.max_us = static_cast<double>(max_ns) * 1e-3;
  return result;
}

}  // namespace mpiactor::apps
