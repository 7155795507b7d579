#include "actor/container/collector_pace.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace mpiactor {
namespace {

// The first request of a long call whose sender waits for a collector that has not come, where
// `sender` says who sends each.
template <typename Sender>
std::uint64_t first_that_waits(std::size_t members, std::uint64_t begin, Sender sender) {
  std::vector<CollectorPace> paces(members);
  std::uint64_t sequence = begin;
  while (!paces[sender()].must_wait_for_receiver(sequence)) ++sequence;
  return sequence;
}

TEST(CollectorPace, NodesOfManyMembersComeNoFurtherAheadThanOthers) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const std::size_t members : {1, 2, 33, 64, 128, 1000}) {
    for (int round = 0; round < 50; ++round) {
      const std::uint64_t begin = random() >> 8;
      std::size_t turn = 0;
      const auto in_turn = [&] { return turn++ % members; };
      const auto any = [&] { return random() % members; };
      const std::uint64_t end = begin + CollectorPace::kEvery;
      EXPECT_LT(first_that_waits(members, begin, in_turn), end) << members;
      EXPECT_LT(first_that_waits(members, begin, any), end) << members;
    }
  }
}

TEST(CollectorPace, OneMessageInSixtyFourOfShortCallsWaits) {
  CollectorPace pace;
  int waits = 0;
  for (int call = 0; call < 6400; ++call) waits += pace.must_wait_for_receiver() ? 1 : 0;
  EXPECT_EQ(waits, 100);
}

}  // namespace
}  // namespace mpiactor
