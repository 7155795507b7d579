#include "sim/reproduce/regret.h"

#include <gtest/gtest.h>

#include "sim/arguments.h"

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

}  // namespace
}  // namespace mpiactor::sim
