#include "actor/container/copy_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace mpiactor {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kCopies = 9;  // that one a node saves: 90 us, worth unevenness of 720 us

class Node : public ::testing::Test {
 protected:
  Node() { choice.sent(microseconds(10)); }
  void come(int times, CopyChoice::Time late) {
    for (int i = 0; i < times; ++i) choice.beside_leader(late);
  }
  bool one() const { return choice.few_will_do(kCopies, 1); }

  CopyChoice choice;
};

TEST_F(Node, AllGetCopiesUntilEnoughIsKnown) {
  EXPECT_FALSE(one());
  come(63, microseconds(0));
  EXPECT_FALSE(one());
  come(1, microseconds(0));
  EXPECT_TRUE(one());
}

TEST_F(Node, EnoughIsSoManyCalls) {
  come(191, microseconds(0));
  EXPECT_FALSE(choice.few_will_do(kCopies, 3)) << "of three comers each";
  come(1, microseconds(0));
  EXPECT_TRUE(choice.few_will_do(kCopies, 3));
  CopyChoice alone;
  alone.sent(microseconds(10));
  EXPECT_FALSE(alone.few_will_do(kCopies, 0)) << "nobody comes";
}

TEST_F(Node, CopiesThatCostNothingGoToAll) {
  CopyChoice fresh;
  for (int i = 0; i < 100; ++i) fresh.beside_leader(microseconds(1));
  EXPECT_FALSE(fresh.few_will_do(kCopies, 1)) << "nobody has sent";
  come(100, microseconds(700));
  EXPECT_TRUE(one());
  EXPECT_FALSE(choice.few_will_do(kCopies - 1, 1));
  EXPECT_FALSE(choice.few_will_do(0, 1));
}

TEST_F(Node, WhoComesLateGetsAllCopies) {
  come(100, microseconds(700));
  EXPECT_TRUE(one());
  come(100, microseconds(800));
  EXPECT_FALSE(one());
  come(400, microseconds(0));
  EXPECT_TRUE(one());
}

// Who once in a hundred calls waits for one that is 250 ms late loses more than the copies cost.
TEST_F(Node, RareLatenessIsRemembered) {
  come(64, microseconds(20));
  for (int i = 0; i < 10; ++i) {
    come(1, milliseconds(250));
    for (int call = 0; call < 99; ++call) {
      EXPECT_FALSE(one()) << "event " << i << ", call " << call;
      come(1, microseconds(20));
    }
  }
}

TEST_F(Node, FirstCallsAreForgotten) {
  come(1, milliseconds(100));
  come(100, microseconds(20));
  EXPECT_FALSE(one());
  come(400, microseconds(20));
  EXPECT_TRUE(one());
}

// Beside the root that is when the others have something else to do; beside a leader some wait.
TEST_F(Node, ConstantLatenessIsEvenBesideRootAlone) {
  for (int i = 0; i < 1000; ++i) choice.beside_root(milliseconds(5));
  EXPECT_TRUE(one());
  come(1000, milliseconds(5));
  EXPECT_FALSE(one());
}

TEST_F(Node, UnevenBesideRoot) {
  for (int i = 0; i < 1000; ++i) choice.beside_root(i % 2 == 0 ? milliseconds(0) : milliseconds(4));
  EXPECT_FALSE(one());
}

TEST_F(Node, TimeOfCopyFollows) {
  come(100, microseconds(2000));
  EXPECT_FALSE(one());
  choice.sent(seconds(1));  // interrupted: counts as four times the mean
  EXPECT_FALSE(one());
  for (int i = 0; i < 50; ++i) choice.sent(microseconds(30));
  EXPECT_TRUE(one());
  for (int i = 0; i < 50; ++i) choice.sent(microseconds(1));
  EXPECT_FALSE(one());
}

TEST_F(Node, LongTimesStayWithinTheirBits) {
  choice.sent(seconds(3600));
  choice.beside_root(seconds(3600));
  come(1, seconds(3600));
  EXPECT_FALSE(one());
  come(2000, microseconds(0));
  EXPECT_TRUE(one());
}

TEST_F(Node, OtherNodesCount) {
  come(100, microseconds(20));
  for (int call = 0; call < 20; ++call) {
    for (int node = 1; node < 8; ++node) choice.other_node(microseconds(node == 1 ? 8000 : 10), 8);
  }
  EXPECT_FALSE(one()) << "1.2 ms in the mean";
  EXPECT_EQ(choice.uneven(), microseconds(20));
  for (int node = 1; node < 60; ++node) choice.other_node(microseconds(10), 8);
  EXPECT_TRUE(one());
  choice.other_node(milliseconds(4), 2);
  EXPECT_FALSE(one()) << "the only other one";
}

// Whatever members lose by writing at a time, the mean stays among what they said.
TEST_F(Node, MembersWriteAtATime) {
  std::vector<std::thread> members;
  for (unsigned member = 0; member < 4; ++member) {
    members.emplace_back([this, member] {
      std::mt19937 random(member + 1);
      for (int i = 0; i < 20000; ++i) {
        choice.sent(microseconds(10));
        choice.beside_leader(microseconds(100 + random() % 500));
      }
    });
  }
  for (std::thread& member : members) member.join();
  EXPECT_TRUE(one());
  EXPECT_FALSE(choice.few_will_do(1, 1));
}

}  // namespace
}  // namespace mpiactor
