#include "bench/clock.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace mpiactor::bench {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kSpinNs = 100'000;
constexpr int kRoundTrips = 100;
constexpr int kClockTag = 1;

// A sleep ends up to the timer slack (50 us by default) late. It is narrowed for this sleep alone:
// the waiting inside the MPI library under test must stay as it is.
void sleep_until(std::int64_t moment_ns) {
  const int slack_ns = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec moment{.tv_sec = moment_ns / kNsPerSecond, .tv_nsec = moment_ns % kNsPerSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr) == EINTR) {
  }
  if (slack_ns > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_ns));
}

std::string read_text(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Equal on two ranks exactly where they read the same CLOCK_MONOTONIC: the same boot of the same
// kernel, and no time namespace in between that shifts the clock.
std::uint64_t kernel_identity() {
  return std::hash<std::string>{}(read_text("/proc/sys/kernel/random/boot_id") + "/" +
                                  read_text("/proc/self/timens_offsets"));
}

// Rank 0's side: answers each of the peer's messages with the time of answering.
void answer_round_trips(MPI_Comm comm, int peer) {
  for (int i = 0; i < kRoundTrips; ++i) {
    PMPI_Recv(nullptr, 0, MPI_INT64_T, peer, kClockTag, comm, MPI_STATUS_IGNORE);
    const std::int64_t answer_ns = now_ns();
    PMPI_Send(&answer_ns, 1, MPI_INT64_T, peer, kClockTag, comm);
  }
}

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

void wait_until(std::int64_t moment_ns, bool spin_at_end) {
  const std::int64_t sleep_end_ns = spin_at_end ? moment_ns - kSpinNs : moment_ns;
  if (now_ns() < sleep_end_ns) sleep_until(sleep_end_ns);
  while (now_ns() < moment_ns) {
  }
}

CommonClock::CommonClock(MPI_Comm comm, ClockMethod method) : comm_(comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  const std::uint64_t own = kernel_identity();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm);
  ranks_of_this_kernel_ = static_cast<int>(std::count(all.begin(), all.end(), own));
  const bool one_kernel = std::count(all.begin(), all.end(), all.front()) == ranks;
  estimated_ = method == ClockMethod::kEstimate || (method == ClockMethod::kAuto && !one_kernel);
  calibrate();
}

void CommonClock::calibrate() {
  if (!estimated_) return;
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm_, &rank);
  PMPI_Comm_size(comm_, &ranks);
  if (rank == 0) {
    for (int peer = 1; peer < ranks; ++peer) answer_round_trips(comm_, peer);
    return;
  }
  // The shortest round trip was delayed least, so its middle is nearest to the answer's time.
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kRoundTrips; ++i) {
    const std::int64_t sent_ns = now_ns();
    std::int64_t answer_ns = 0;
    PMPI_Send(nullptr, 0, MPI_INT64_T, 0, kClockTag, comm_);
    PMPI_Recv(&answer_ns, 1, MPI_INT64_T, 0, kClockTag, comm_, MPI_STATUS_IGNORE);
    const std::int64_t received_ns = now_ns();
    if (received_ns - sent_ns >= shortest_ns) continue;
    shortest_ns = received_ns - sent_ns;
    ahead_ns_ = sent_ns + shortest_ns / 2 - answer_ns;
  }
  uncertainty_ns_ = shortest_ns / 2;
}

}  // namespace mpiactor::bench
