// Each property of the queue that the models prove, broken on purpose: debug builds say so and end.
#include "actor/competition/assertions.h"

#include <gtest/gtest.h>

#include <vector>

#include "actor/competition/request_queue.h"

namespace mpiactor::competition {
namespace {

const shm::WaitPolicy kPolite{.spin_us = 10, .give_way = true, .progress = nullptr};
constexpr int kMembers = 2;

#if !MPIACTOR_ASSERTIONS

TEST(Assertions, CostNothingInOptimisedBuilds) {
  int looks = 0;
  MPIACTOR_ASSERT(++looks == 0, "looked %d times", ++looks);
  EXPECT_EQ(looks, 0);
}

#else

class AssertionsDeathTest : public ::testing::Test {
 protected:
  // The lines lie behind the slots.
  MemberLine& line(int member) {
    return reinterpret_cast<MemberLine*>(memory() + kSlots * sizeof(Slot))[member];
  }
  std::byte* memory() { return reinterpret_cast<std::byte*>(memory_.data()); }

  struct alignas(shm::kCacheLine) Line {
    std::byte bytes[shm::kCacheLine];
  };
  std::vector<Line> memory_{RequestQueue::bytes_needed(kMembers) / sizeof(Line)};
  RequestQueue first_{memory(), kMembers, 0, kPolite};
  RequestQueue second_{memory(), kMembers, 1, kPolite};
};

TEST_F(AssertionsDeathTest, TwoLeadersOfARequest) {
  first_.lead(1);
  EXPECT_DEATH(second_.lead(1), "member 1 leads request 1, but member 0 has led request 1 there");
}

TEST_F(AssertionsDeathTest, ASlotThatIsLedForALaterRequest) {
  first_.slot(1).leader = leader_word(1 + kSlots, 0);
  EXPECT_DEATH(second_.compete(1), "member 1 leads request 1, but member 0 has led request 33");
}

// A member's word that goes back, after others have seen it go on.
TEST_F(AssertionsDeathTest, ASlotThatIsReusedWhileAMemberReads) {
  for (std::uint64_t s = 1; s <= kSlots; ++s) {
    first_.leave(s);
    second_.leave(s);
  }
  EXPECT_EQ(first_.left_by_all(), kSlots + 1);
  line(1).progress.publish(stamp(2, 0));
  first_.enter(kSlots + 1);  // request 1's slot, which all have left
  EXPECT_DEATH(first_.enter(kSlots + 2),
               "member 0 uses a slot for request 34, but member 1 has only left those before 2");
  EXPECT_DEATH(first_.lead(kSlots + 2), "member 0 uses a slot for request 34");
  EXPECT_DEATH(first_.compete(kSlots + 2), "member 0 uses a slot for request 34");
}

TEST_F(AssertionsDeathTest, AReaderWhoseSlotIsTaken) {
  first_.slot(1).leader = leader_word(1 + kSlots, 0);
  EXPECT_DEATH(second_.leave(1), "member 1 is in request 1, but its slot is led for 33");
  first_.slot(1).leader = 0;
  first_.slot(1).published.publish(stamp(1 + kSlots, 1));
  EXPECT_DEATH(second_.leave(1), "published for 33");
  first_.slot(1).published.publish(0);
  first_.slot(1).arrivals.publish(stamp(1 + kSlots, 1));
  EXPECT_DEATH(second_.leave(1), "arrived at for 33");
}

TEST_F(AssertionsDeathTest, PublicationsThatDoNotGrow) {
  first_.lead(1);
  first_.publish(1, 3);
  EXPECT_DEATH(first_.publish(1, 3), "publishes entry 3 of request 1, before 3 of request 1");
  EXPECT_DEATH(first_.publish(1, 2), "publishes entry 2 of request 1, before 3 of request 1");
  first_.slot(2).published.publish(stamp(2 + kSlots, 1));
  EXPECT_DEATH(first_.publish(2, 1), "publishes entry 1 of request 2, before 1 of request 34");
}

TEST_F(AssertionsDeathTest, EntriesBeyondTheirBits) {
  first_.lead(1);
  EXPECT_DEATH(first_.publish(1, 0), "publishes entry 0 of request 1");
  EXPECT_DEATH(first_.publish(1, kMaxEntries + 1), "publishes entry 1048576 .* at most 1048575");
  EXPECT_DEATH(first_.arrive(1, 0, 0), "arrives at request 1 by 0");
  first_.arrive(1, 0, kMaxEntries);
  EXPECT_DEATH(first_.arrive(1, 0), "arrives at request 1 by 1, after 1048575 of request 1");
}

TEST_F(AssertionsDeathTest, AnArrivalAtASlotOfALaterRequest) {
  first_.arrive(1 + kSlots, 0);
  EXPECT_DEATH(second_.arrive(1, 0), "member 1 arrives at request 1 by 1, after 1 of request 33");
}

TEST_F(AssertionsDeathTest, PhasesThatDoNotGrow) {
  first_.sign(1, 2);
  EXPECT_DEATH(first_.sign(1, 2), "member 0 signs phase 2 of request 1, before 2 of request 1");
  EXPECT_DEATH(first_.sign(1, 1), "signs phase 1 of request 1");
}

TEST_F(AssertionsDeathTest, ConsumingWhatIsNotThere) {
  first_.lead(1);
  first_.publish(1, 2);
  second_.consumed(1, 1);
  EXPECT_DEATH(second_.consumed(1, 3), "consumed 3 entries of request 1, but published are 2");
  EXPECT_DEATH(second_.consumed(1, 1), "consumes entry 1 of request 1, before 1 of request 1");
}

TEST_F(AssertionsDeathTest, LeavingTwiceOrOutOfOrder) {
  EXPECT_DEATH(first_.leave(2), "member 0 leaves request 2, but is in request 1");
  first_.leave(1);
  EXPECT_DEATH(first_.leave(1), "member 0 leaves request 1, but is in request 2");
  EXPECT_DEATH(first_.leave(3), "member 0 leaves request 3, but is in request 2");
}

TEST_F(AssertionsDeathTest, AMemberThatIsNone) {
  EXPECT_DEATH(RequestQueue(memory(), kMembers, kMembers, kPolite), "member 2 of 2");
}

#endif

}  // namespace
}  // namespace mpiactor::competition
