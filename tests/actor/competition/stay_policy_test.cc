// When leaders stay, and for how long.
#include "actor/competition/stay_policy.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace mpiactor::competition {
namespace {

constexpr std::uint64_t kMostLossNs = 1000;
constexpr std::uint64_t kMostLength = 63;

class StayPolicyTest : public testing::Test {
 protected:
  // One request for which all compete, whose followers come so late; returns for how long its
  // leader stays.
  std::uint64_t open(std::uint64_t late_ns = 0) {
    const std::uint64_t length = policy_.decide();
    policy_.note_lateness(late_ns);
    return length;
  }
  void lead(std::uint64_t requests, std::uint64_t loss_ns) {
    for (std::uint64_t i = 0; i < requests; ++i) policy_.report(loss_ns);
  }

  StayRecord record_{};
  StayPolicy policy_{record_, 2, kMostLossNs, kMostLength};
};

TEST_F(StayPolicyTest, NobodyStaysBeforeAnythingIsKnown) {
  EXPECT_EQ(policy_.decide(), 0u);
  EXPECT_EQ(policy_.decide(), 0u);
}

TEST_F(StayPolicyTest, LengthGrowsWhileAllIsWell) {
  open();
  EXPECT_EQ(open(), 4u);
  lead(4, 0);
  EXPECT_EQ(open(), 16u);
  lead(16, kMostLossNs);  // just allowed
  EXPECT_EQ(open(), kMostLength);
  lead(kMostLength, 0);
  EXPECT_EQ(open(), kMostLength);
}

TEST_F(StayPolicyTest, ALengthThatWasNotUsedDoesNotGrow) {
  open();
  EXPECT_EQ(open(), 4u);
  EXPECT_EQ(open(), 4u);
}

TEST_F(StayPolicyTest, PausesAfterALoss) {
  open();
  EXPECT_EQ(open(), 4u);
  lead(4, kMostLossNs + 1);
  for (std::uint64_t i = 0; i < StayPolicy::kFirstPause; ++i) EXPECT_EQ(open(), 0u) << i;
  EXPECT_EQ(open(), 4u) << "tries again, shortly";
}

TEST_F(StayPolicyTest, PausesGrowAndAreForgotten) {
  open();
  open();
  lead(4, 10 * kMostLossNs);
  for (std::uint64_t i = 0; i < StayPolicy::kFirstPause; ++i) open();
  EXPECT_EQ(open(), 4u);
  lead(4, 10 * kMostLossNs);
  for (std::uint64_t i = 0; i < 2 * StayPolicy::kFirstPause; ++i) EXPECT_EQ(open(), 0u) << i;
  EXPECT_EQ(open(), 4u);
  lead(4, 0);
  EXPECT_EQ(open(), 16u);
  lead(16, 10 * kMostLossNs);
  for (std::uint64_t i = 0; i < StayPolicy::kFirstPause; ++i) EXPECT_EQ(open(), 0u) << i;
  EXPECT_EQ(open(), 4u);
}

TEST_F(StayPolicyTest, PausesEndHoweverOftenItFails) {
  open();
  for (int tries = 0; tries < 12; ++tries) {
    std::uint64_t opened = 0;
    while (open() == 0) ++opened;
    EXPECT_LE(opened, StayPolicy::kFirstPause << StayPolicy::kMostDoublings);
    lead(4, 10 * kMostLossNs);
  }
}

TEST_F(StayPolicyTest, NobodyIsTriedWhereMembersComeFarApart) {
  constexpr std::uint64_t kMostNs = StayPolicy::kMostLateness * kMostLossNs;
  open(kMostNs + 1);
  EXPECT_EQ(open(kMostNs), 0u);
  EXPECT_EQ(open(), 4u);
}

TEST_F(StayPolicyTest, AMemberAloneStays) {
  StayPolicy alone(record_, 1, kMostLossNs, kMostLength);
  EXPECT_EQ(alone.decide(), 4u);
}

}  // namespace
}  // namespace mpiactor::competition
