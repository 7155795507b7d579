// Members of a node, as threads, that claim children and adopt nodes below them at the same time.
#include "inter/served_nodes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace mpiactor::inter {
namespace {

constexpr std::size_t kMost = kMostAdopted;

TEST(ServedNodes, AChildIsClaimedOnce) {
  ServedNodes served;
  EXPECT_TRUE(served.claim(3));
  EXPECT_FALSE(served.claim(3));
  EXPECT_TRUE(served.claim(kMostChildren - 1));
  EXPECT_TRUE(ServedNodes::is_claimed(served.version(), 3));
  EXPECT_FALSE(ServedNodes::is_claimed(served.version(), 4));
  EXPECT_EQ(served.adopted()->count, 0u);
}

TEST(ServedNodes, NobodyIsAdoptedFromAChildThatHasCome) {
  ServedNodes served;
  const int between[] = {9};
  EXPECT_TRUE(served.adopt(0, {7, 0}, between, kMost));
  EXPECT_FALSE(served.adopt(0, {7, 0}, between, kMost)) << "twice";
  EXPECT_TRUE(served.adopt(0, {7, 1}, between, kMost)) << "another tree";
  EXPECT_TRUE(served.claim(0));
  EXPECT_FALSE(served.adopt(0, {8, 0}, between, kMost));
  EXPECT_TRUE(served.adopt(1, {8, 0}, between, kMost));
  EXPECT_EQ(served.adopted()->count, 3u);
  EXPECT_TRUE(served.adopted()->contains({7, 1}));
  EXPECT_TRUE(served.has_inherited({8, 0}));
  EXPECT_FALSE(served.has_inherited({8, 1}));
}

// Who serves a node says who serves those below it.
TEST(ServedNodes, NobodyIsAdoptedFromBelowAnAdoptedNode) {
  ServedNodes served;
  const int of_five[] = {9};
  const int of_six[] = {5, 9};
  EXPECT_TRUE(served.adopt(0, {5, 0}, of_five, kMost));
  EXPECT_FALSE(served.adopt(0, {6, 0}, of_six, kMost));
}

TEST(ServedNodes, InheritedNodesOfAllTreesHaveRoom) {
  constexpr std::size_t kTrees = 6;
  ServedNodes served;
  const int between[] = {1000};
  for (std::int32_t tree = 0; tree < std::int32_t{kTrees}; ++tree) {
    ServedNodes above;
    std::int32_t adopted = 0;
    while (above.adopt(0, {adopted, tree}, between, kMost / kTrees)) ++adopted;
    EXPECT_EQ(adopted, std::int32_t{kMost / kTrees});
    served.inherit(above.adopted()->all());
  }
  EXPECT_EQ(served.adopted()->count, kMost);
  EXPECT_FALSE(served.adopt(0, {100, 0}, between, kMost / kTrees));
  served.clear();
  EXPECT_EQ(served.version(), 0u);
  EXPECT_EQ(served.adopted()->count, 0u);
}

// One member serves each node, and who claims a child knows all that were adopted below it.
TEST(ServedNodes, MembersAgreeWhoServesWhom) {
  constexpr int kMembers = 4;
  constexpr std::size_t kChildren = 8;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    ServedNodes served;
    std::atomic<int> waiting{0};
    std::atomic<int> claims[kChildren] = {};
    std::atomic<int> adoptions[kChildren] = {};
    AdoptedList known[kChildren];
    std::vector<std::thread> members;
    for (int member = 0; member < kMembers; ++member) {
      members.emplace_back([&, member] {
        ++waiting;
        while (waiting != kMembers) std::this_thread::yield();
        for (std::size_t i = 0; i < kChildren; ++i) {
          const std::size_t child = (i + static_cast<std::size_t>(member * 3)) % kChildren;
          const int below = 100 + static_cast<int>(child);
          const int between[] = {static_cast<int>(child)};
          if ((member + round) % 2 == 0) {
            if (served.adopt(child, {below, 0}, between, kMost)) ++adoptions[child];
          } else if (served.claim(child)) {
            ++claims[child];
            std::optional<AdoptedList> list = served.adopted();
            while (!list) {
              std::this_thread::yield();
              list = served.adopted();
            }
            known[child] = *list;
          }
        }
      });
    }
    for (std::thread& member : members) member.join();
    for (std::size_t child = 0; child < kChildren; ++child) {
      EXPECT_EQ(claims[child], 1);
      ASSERT_LE(adoptions[child], 1);
      EXPECT_EQ(known[child].contains({100 + static_cast<int>(child), 0}), adoptions[child] == 1)
          << "child " << child << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace mpiactor::inter
