#include "sim/reproduce/regret.h"

#include <gtest/gtest.h>

#include "inter/collective_cost.h"
#include "sim/arguments.h"
#include "sim/collective.h"
#include "sim/reproduce/link_of_machine.h"

namespace mpiactor::sim {
namespace {

TEST(Regret, IsSmallOnMeshesAndWhereTheyMeetRings) {
  for (const char* machine : {"fugaku", "k_model"}) {
    for (const char* shape : {"4mx4mx4m", "8mx6m", "6mx6x6", "13m"}) {
      RegretField field(load_machine(machine), parse_shape(shape));
      for (const std::uint64_t bytes : {1 << 10, 128 << 10, 256 << 10, 1 << 20}) {
        const RegretPoint point = field.measure(bytes);
        EXPECT_LE(point.regret(), 0.05) << machine << " " << shape << " " << bytes << ": "
                                        << point.selected.text() << ", " << point.best.text();
        EXPECT_GT(point.tried, 3u);
      }
    }
  }
}

// Three trees on three of K's four interfaces: 13.5 GB/s.
TEST(Regret, ThreeTreesOfAMeshKeepTheirLinksBusy) {
  SteadyBroadcasts broadcasts(load_machine("k_model"), parse_shape("4mx4mx4m"));
  constexpr std::uint64_t kBytes = 256 << 20;
  for (const char* name : {"trinaryx3", "trinaryx6"}) {
    const inter::Algorithm& algorithm = *inter::find_algorithm(inter::Collective::kBcast, name);
    EXPECT_GT(kBytes / broadcasts.time_us(algorithm, kBytes, 16 << 10), 13'200) << name;
  }
}

TEST(Regret, OfReductionsIsSmallOnLinesRingsAndTori) {
  for (const char* machine : {"fugaku", "k_model"}) {
    for (const char* shape : {"100m", "13", "8x8", "4x6x4"}) {
      for (const std::uint64_t bytes : {16 << 10, 256 << 10}) {
        const RegretPoint point = measure_regret(inter::Collective::kReduce, load_machine(machine),
                                                 parse_shape(shape), bytes);
        EXPECT_LE(point.regret(), 0.05) << machine << " " << shape << " " << bytes << ": "
                                        << point.selected.text() << ", " << point.best.text();
      }
    }
  }
}

struct Played {
  double predicted_us;
  double simulated_us;
};

Played play(inter::Collective collective, const char* name, const char* shape, std::uint64_t bytes,
            std::uint64_t segment) {
  const Machine machine = load_machine("fugaku");
  CollectiveInput input;
  input.machine = machine;
  input.shape = parse_shape(shape);
  input.algorithm = *inter::find_algorithm(collective, name);
  input.bytes = bytes;
  input.segment_bytes = segment;
  const inter::CollectiveModel model(input.shape, link_of(machine));
  const auto predicted_us = collective == inter::Collective::kAllgather
                                ? model.allgather_us(name, bytes, segment)
                                : model.alltoall_us(name, bytes, segment);
  return {*predicted_us, static_cast<double>(run_collective(input).end) / 1e6};
}

TEST(Formulas, AreNearTheSimulatorOnRingsAndLines) {
  const auto expect_near = [](inter::Collective collective, const char* name, const char* shape,
                              std::uint64_t bytes, std::uint64_t segment, double within) {
    const Played played = play(collective, name, shape, bytes, segment);
    EXPECT_NEAR(played.predicted_us / played.simulated_us, 1, within)
        << name << " " << shape << " " << bytes;
  };
  // Two segments in a window of one; a way of 99 hops, over which eleven segments follow each
  // other.
  expect_near(inter::Collective::kAllgather, "multiring3d", "31", 64 << 10, 16 << 10, 0.05);
  expect_near(inter::Collective::kAllgather, "ring", "100m", 256, 1 << 10, 0.01);
  expect_near(inter::Collective::kAllgather, "ring", "100m", 16 << 10, 1536, 0.08);
  expect_near(inter::Collective::kAlltoall, "doublespread", "8m", 64 << 10, 16 << 10, 0.06);
  expect_near(inter::Collective::kAlltoall, "doublespread", "100m", 64 << 10, 16 << 10, 0.06);
  expect_near(inter::Collective::kAlltoall, "linear", "100m", 64 << 10, 64 << 10, 0.06);
}

}  // namespace
}  // namespace mpiactor::sim
