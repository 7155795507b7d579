#include "sim/reproduce/steady_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "inter/bcast_cost.h"
#include "sim/arguments.h"
#include "sim/reproduce/link_of_machine.h"

namespace mpiactor::sim {
namespace {

double whole_us(const Machine& machine, const char* shape, const char* algorithm,
                std::uint64_t bytes, std::uint64_t segment) {
  CollectiveInput input;
  input.machine = machine;
  input.shape = parse_shape(shape);
  input.algorithm = *inter::find_algorithm(inter::Collective::kBcast, algorithm);
  input.bytes = bytes;
  input.segment_bytes = segment;
  return static_cast<double>(run_collective(input).end) /
         static_cast<double>(kPicosecondsPerMicrosecond);
}

TEST(SteadyState, AgreesWithSimulatingEverySegment) {
  for (const char* name : {"fugaku", "k", "k_model"}) {
    const Machine machine = load_machine(name);
    for (const char* shape : {"48", "8x6", "4x3x5"}) {
      SteadyBroadcasts broadcasts(machine, parse_shape(shape));
      for (const char* algorithm :
           {"pipeline", "binomial", "trinaryx3", "trinaryx6", "bintree3d", "bintree6d"}) {
        const std::uint64_t bytes = (16 << 20) + 1234;
        const double whole = whole_us(machine, shape, algorithm, bytes, 16384);
        const double steady = broadcasts.time_us(
            *inter::find_algorithm(inter::Collective::kBcast, algorithm), bytes, 16384);
        EXPECT_NEAR(steady / whole, 1, 0.02) << name << " " << shape << " " << algorithm;
      }
    }
  }
}

TEST(SteadyState, ShortMessagesAreSimulatedAsTheyAre) {
  const Machine machine = load_machine("fugaku");
  SteadyBroadcasts broadcasts(machine, parse_shape("4x3x5"));
  EXPECT_EQ(broadcasts.time_us(*inter::find_algorithm(inter::Collective::kBcast, "trinaryx6"),
                               100'000, 4096),
            whole_us(machine, "4x3x5", "trinaryx6", 100'000, 4096));
  EXPECT_EQ(settling_segments(machine, parse_shape("16x12x16"), 65536), 16u);
  EXPECT_EQ(settling_segments(machine, parse_shape("4x3x5"), 65536), 48u);
  EXPECT_EQ(settling_segments(machine, parse_shape("4x3x5"), 1000), 61u);  // beyond 60 KB
}

// The cost model, given a machine's parameters, is close to what is simulated where it matters.
TEST(SteadyState, TheCostModelIsCloseToTheSimulation) {
  for (const char* name : {"fugaku", "k"}) {
    const Machine machine = load_machine(name);
    for (const char* shape : {"48", "8x6", "4x3x5"}) {
      const inter::BcastModel model(parse_shape(shape), link_of(machine));
      for (const char* algorithm : {"trinaryx6", "bintree3d", "bintree6d"}) {
        for (const std::uint64_t bytes : {8, 1'000, 16'000}) {
          const double simulated = whole_us(machine, shape, algorithm, bytes, bytes);
          const bool is_bintree = std::string_view(algorithm).starts_with("bintree");
          EXPECT_NEAR(*model.time_us(algorithm, bytes, bytes) / simulated, 1,
                      is_bintree ? 0.02 : 0.1)
              << name << " " << shape << " " << algorithm << " " << bytes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mpiactor::sim
