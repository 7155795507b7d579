// Short broadcasts of any size and root by ranks that come together for a while and unevenly for
// another, so that messages go down trees, from the root to all, in one copy a node and in several.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr std::uint64_t kCallsOfAPhase = 90;  // some are announced
constexpr std::uint64_t kMostBytes = 20'000;  // some are not short

// Every so many calls, and up to how late this rank comes; 0: never.
struct Lateness {
  std::uint64_t every = 0;
  std::uint64_t most_us = 0;
};

void run_phase(const Group& group, const Job& job, std::uint64_t number) {
  Case at(group, job.seed(), number);
  const Lateness all[] = {{}, {1, 300}, {40, 20'000}, {4, 3'000}};
  const Lateness late = all[number % 4];
  const bool is_one_root = at.shared.next() % 2 == 0;
  int root = 0;
  for (std::uint64_t call = 0; call < kCallsOfAPhase; ++call) {
    const auto drawn = static_cast<int>(at.shared.next() % static_cast<unsigned>(group.size));
    if (call == 0 || !is_one_root) root = drawn;
    const std::uint64_t most = at.shared.next() % kMostBytes + 1;
    const std::uint64_t bytes = at.shared.next() % most;
    const auto value = static_cast<std::uint8_t>(1 + (call + number) % 255);
    std::vector<std::uint8_t> message(bytes, group.rank == root ? value : std::uint8_t{0});
    if (late.every != 0 && at.own.next() % late.every == 0) {
      usleep(static_cast<useconds_t>(at.own.next() % late.most_us));
    }
    at.text = "call " + std::to_string(call) + ": " + std::to_string(bytes) + " bytes from rank " +
              std::to_string(root);
    MPI_Bcast(message.data(), static_cast<int>(bytes), MPI_BYTE, root, group.comm);
    if (std::any_of(message.begin(), message.end(), [&](auto byte) { return byte != value; })) {
      fail(at, "wrong data");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  std::uint64_t phase = job.first_case();
  for (; job.goes_on(phase); ++phase) run_phase(job.world(), job, phase);
  job.report(phase);
  return 0;
}
