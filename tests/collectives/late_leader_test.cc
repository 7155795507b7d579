// Short broadcasts where the first rank of every node but the root's comes late each time: after a
// while the others of its node do not wait for it. Nodes of two ranks.
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;
using Clock = std::chrono::steady_clock;

constexpr useconds_t kLateUs = 40'000;
constexpr int kRoot = 0;
constexpr int kTogether = 80;  // until nodes get one copy each
// Nodes hear of each other in messages, mostly in one call of 64.
constexpr int kLearning = 60;
constexpr int kMeasured = 20;

Clock::duration broadcast(const Group& group, int round) {
  std::array<int, 300> message{};
  if (group.rank == kRoot) message.fill(round);
  const Clock::time_point begin = Clock::now();
  MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_INT, kRoot, group.comm);
  const Clock::duration time = Clock::now() - begin;
  if (message.front() != round || message.back() != round) {
    fail("round " + std::to_string(round) + ": wrong data");
  }
  return time;
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  int round = 0;
  while (round < kTogether) {
    PMPI_Barrier(group.comm);
    broadcast(group, ++round);
  }
  const bool is_late = group.rank >= 2 && group.rank % 2 == 0;
  int waits = 0;
  while (round < kTogether + kLearning + kMeasured) {
    PMPI_Barrier(group.comm);
    if (is_late) usleep(kLateUs);
    const bool is_long = broadcast(group, ++round) > std::chrono::microseconds(kLateUs / 2);
    waits += static_cast<int>(is_long && round > kTogether + kLearning);
  }
  if (waits > kMeasured / 2) {
    fail("waits for the first rank of the node in " + std::to_string(waits) + " of " +
         std::to_string(kMeasured) + " calls");
  }
  return 0;
}
