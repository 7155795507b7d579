// The whole K computer, with a speed that sweeps over it need.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "sim/machine.h"
#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

TEST(Scale, WholeMachineInBoundedTimeAndMemory) {
  const Machine machine = load_machine("k");
  const inter::Shape shape{{48, 36, 48}, {true, true, true}};
  constexpr std::uint64_t kSegments = 48;
  constexpr std::uint64_t kBytes = kSegments * 16384;
  const auto begin = std::chrono::steady_clock::now();
  const SimulationResult result =
      play(machine, shape, [&](int node) { return dimension_trees_plan(shape, kBytes, node); });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(result.transfers, 82943 * kSegments);
  // No node can have all before the farthest one has its first segment.
  const double hops = 47 + 35 + 47;
  EXPECT_GT(static_cast<double>(result.end),
            hops * (static_cast<double>(machine.latency_ps(1)) + 16384 / 5e3 * 1e6));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  RecordProperty("transfers_per_second",
                 std::to_string(static_cast<double>(result.transfers) / seconds));
  printf("%.2f million transfers per second, %ld MiB\n",
         static_cast<double>(result.transfers) / seconds / 1e6, usage.ru_maxrss / 1024);
  EXPECT_LT(usage.ru_maxrss, 512 * 1024);
  // Far below what a quiet core does (see docs/reproduction.md), so that a busy one passes too.
  EXPECT_GT(static_cast<double>(result.transfers) / seconds, 5e5);
}

}  // namespace
}  // namespace mpiactor::sim
