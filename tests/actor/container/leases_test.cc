// Which broadcasts open leases, and how long leaders stay.
#include "actor/container/leases.h"

#include <gtest/gtest.h>

namespace mpiactor {
namespace {

// Requests of `root` from `first` on, `count` of them: how many open leases, with one node's.
int opened(Leases& leases, std::uint64_t first, std::uint64_t count, int root) {
  int times = 0;
  for (std::uint64_t sequence = first; sequence < first + count; ++sequence) {
    const bool opens = leases.opens(sequence, root);
    leases.note(root);
    if (!opens) continue;
    leases.open(sequence, root);
    leases.add(1, 7, 20);
    ++times;
  }
  return times;
}

TEST(Leases, OneRootOpensNowAndThen) {
  Leases leases;
  EXPECT_EQ(opened(leases, 1, Leases::kEager * Leases::kSoonest, 3), Leases::kEager);
  EXPECT_EQ(opened(leases, Leases::kEager * Leases::kSoonest + 1, 10 * Leases::kEvery, 3), 10);
}

TEST(Leases, RootsThatTakeTurnsOpenNone) {
  Leases leases;
  for (std::uint64_t sequence = 1; sequence < 1000; ++sequence) {
    EXPECT_FALSE(leases.opens(sequence, static_cast<int>(sequence % 3)));
    leases.note(static_cast<int>(sequence % 3));
  }
}

TEST(Leases, ANewRootOpensSoon) {
  Leases leases;
  EXPECT_EQ(opened(leases, 1, 100, 3), Leases::kEager);
  EXPECT_EQ(opened(leases, 101, 5, 4), 1);
  EXPECT_EQ(opened(leases, 106, Leases::kSoonest - 5, 5), 0) << "not right after another one";
  EXPECT_EQ(opened(leases, 106 + Leases::kSoonest - 5, 5, 5), 1);
}

TEST(Leases, EndAfterSoManyRequestsAndForAnotherRoot) {
  Leases leases;
  leases.open(100, 3);
  leases.add(1, 7, 20);
  leases.add(2, 9, 0);
  EXPECT_EQ(leases.holder(1, 101, 3), 7);
  EXPECT_EQ(leases.holder(1, 120, 3), 7);
  EXPECT_TRUE(leases.any(120, 3));
  EXPECT_EQ(leases.holder(1, 121, 3), -1);
  EXPECT_FALSE(leases.any(121, 3));
  EXPECT_EQ(leases.holder(1, 101, 4), -1);
  EXPECT_FALSE(leases.any(101, 4));
  EXPECT_EQ(leases.holder(2, 101, 3), -1) << "its leader does not stay";
  leases.open(130, 3);
  EXPECT_EQ(leases.holder(1, 131, 3), -1) << "the one before has ended";
}

}  // namespace
}  // namespace mpiactor
