#include "actor/trace/clock.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <vector>

#include "actor/comm/agreement.h"
#include "inter/messages.h"

namespace mpiactor::trace {
namespace {

constexpr int kExchanges = 32;
constexpr int kTag = 1;

void check(int error) { inter::check_mpi(error, "comparing clocks"); }

void answer(MPI_Comm comm, int asker) {
  for (int i = 0; i < kExchanges; ++i) {
    check(PMPI_Recv(nullptr, 0, MPI_BYTE, asker, kTag, comm, MPI_STATUS_IGNORE));
    const std::int64_t now = now_ns();
    check(PMPI_Send(&now, 1, MPI_INT64_T, asker, kTag, comm));
  }
}

ClockReading ask(MPI_Comm comm) {
  std::array<ClockExchange, kExchanges> exchanges;
  for (ClockExchange& exchange : exchanges) {
    exchange.before_ns = now_ns();
    check(PMPI_Send(nullptr, 0, MPI_BYTE, 0, kTag, comm));
    check(PMPI_Recv(&exchange.answer_ns, 1, MPI_INT64_T, 0, kTag, comm, MPI_STATUS_IGNORE));
    exchange.after_ns = now_ns();
  }
  return estimate_offset(exchanges);
}

// The lowest rank with each rank's clock.
std::vector<int> speakers(MPI_Comm comm, int ranks) {
  const std::uint64_t mine = hash_of(clock_identity());
  std::vector<std::uint64_t> clocks(static_cast<std::size_t>(ranks));
  Agreement(comm).collect(&mine, sizeof mine, clocks.data());
  std::vector<int> speaker;
  for (const std::uint64_t clock : clocks) {
    speaker.push_back(
        static_cast<int>(std::find(clocks.begin(), clocks.end(), clock) - clocks.begin()));
  }
  return speaker;
}

}  // namespace

std::int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
}

std::string clock_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (boot.empty()) {
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, HOST_NAME_MAX);
    boot = host;
  }
  char space[64] = "";
  if (readlink("/proc/self/ns/time", space, sizeof space - 1) < 0) space[0] = 0;
  return boot + " " + space;
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

ClockReading estimate_offset(std::span<const ClockExchange> exchanges) {
  const ClockExchange& best = *std::min_element(
      exchanges.begin(), exchanges.end(), [](const ClockExchange& a, const ClockExchange& b) {
        return a.after_ns - a.before_ns < b.after_ns - b.before_ns;
      });
  const std::int64_t half = (best.after_ns - best.before_ns) / 2;
  const std::int64_t middle = best.before_ns + half;
  return {.local_ns = middle, .offset_ns = best.answer_ns - middle, .uncertainty_ns = half};
}

ClockReading read_against_rank0(MPI_Comm comm, bool& is_rank0) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const std::vector<int> speaker = speakers(comm, ranks);
  const int mine = speaker[static_cast<std::size_t>(rank)];
  ClockReading reading{.local_ns = now_ns()};
  if (rank == 0) {
    for (int other = 1; other < ranks; ++other) {
      if (speaker[static_cast<std::size_t>(other)] == other) answer(comm, other);
    }
  } else if (mine == rank) {
    reading = ask(comm);
  }
  std::vector<ClockReading> all(static_cast<std::size_t>(ranks));
  Agreement(comm).collect(&reading, sizeof reading, all.data());
  is_rank0 = mine == 0;
  return all[static_cast<std::size_t>(mine)];
}

}  // namespace mpiactor::trace
