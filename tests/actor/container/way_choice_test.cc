#include "actor/container/way_choice.h"

#include <gtest/gtest.h>

namespace mpiactor {
namespace {

constexpr std::uint64_t kBytes = 256 << 10;

// Plays `calls` calls that cost so much; returns how many went directly.
int play(WayChoice& choice, int calls, std::uint64_t staged_ns, std::uint64_t direct_ns,
         std::uint64_t bytes = kBytes) {
  int direct = 0;
  for (int call = 0; call < calls; ++call) {
    const Way way = choice.next(bytes);
    direct += way == Way::kDirect;
    choice.took(bytes, way, way == Way::kDirect ? direct_ns : staged_ns);
  }
  return direct;
}

TEST(WayChoice, TakesTheQuickerWayAndTriesTheOther) {
  WayChoice direct_wins;
  const int direct = play(direct_wins, 1000, 40'000, 20'000);
  EXPECT_GE(direct, 1000 - WayChoice::kLeastTimes - 2 - 1000 / WayChoice::kCallsToTry);
  EXPECT_LT(direct, 1000 - WayChoice::kLeastTimes);
  WayChoice staged_wins;
  const int staged = 1000 - play(staged_wins, 1000, 20'000, 40'000);
  EXPECT_GE(staged, 1000 - WayChoice::kLeastTimes - 2 - 1000 / WayChoice::kCallsToTry);
  EXPECT_LT(staged, 1000 - WayChoice::kLeastTimes);
}

TEST(WayChoice, FirstCallsGoInTurns) {
  WayChoice choice;
  // No times are heard of: nothing is preferred.
  int direct = 0;
  for (int call = 0; call < 20; ++call) direct += choice.next(kBytes) == Way::kDirect;
  EXPECT_EQ(direct, 10);
  // The two are alike: each is timed as often as planned.
  WayChoice alike;
  EXPECT_EQ(play(alike, 2 * WayChoice::kFirstTimes, 20'000, 21'000), WayChoice::kFirstTimes);
  EXPECT_EQ(play(alike, 15, 20'000, 21'000), 0);
}

TEST(WayChoice, SlowFirstCallsDoNotCount) {
  WayChoice choice;
  ASSERT_EQ(choice.next(kBytes), Way::kStaged);
  choice.took(kBytes, Way::kStaged, 900'000);
  ASSERT_EQ(choice.next(kBytes), Way::kDirect);
  choice.took(kBytes, Way::kDirect, 40'000);
  EXPECT_LE(play(choice, 100, 20'000, 40'000), WayChoice::kFirstTimes + 2);
}

TEST(WayChoice, OneSlowCallChangesNothing) {
  WayChoice choice;
  play(choice, 20, 40'000, 20'000);
  choice.took(kBytes, Way::kDirect, 10'000'000);
  EXPECT_GE(play(choice, 20, 40'000, 20'000), 19);  // one try of the other way
}

TEST(WayChoice, SlowFirstTimesAreFoundOut) {
  WayChoice choice;
  play(choice, 2 * WayChoice::kFirstTimes, 40'000, 55'000);  // too alike to decide early
  EXPECT_EQ(choice.next(kBytes), Way::kStaged);
  choice.took(kBytes, Way::kStaged, 40'000);
  play(choice, 20, 40'000, 25'000);  // with the first early try
  EXPECT_EQ(play(choice, 20, 40'000, 25'000), 20);
}

TEST(WayChoice, FollowsTheMachine) {
  WayChoice choice;
  play(choice, 100, 40'000, 20'000);
  // What was quick has become slow.
  EXPECT_LT(play(choice, 100, 40'000, 90'000), 20);
  // And the other way round: the now and then tries tell, in time.
  play(choice, 20 * WayChoice::kCallsToTry, 40'000, 10'000);
  EXPECT_GT(play(choice, 100, 40'000, 10'000), 90);
}

TEST(WayChoice, SizesAreApart) {
  WayChoice choice;
  play(choice, 100, 40'000, 20'000, 100 << 10);
  play(choice, 100, 20'000, 40'000, 1 << 20);
  EXPECT_EQ(play(choice, 20, 40'000, 20'000, 127 << 10), 20);  // of one power of two
  EXPECT_EQ(play(choice, 20, 20'000, 40'000, 1 << 20), 0);
  // The longest messages are one class; the shortest are valid.
  play(choice, 100, 20'000, 40'000, std::uint64_t{1} << 40);
  EXPECT_EQ(play(choice, 20, 20'000, 40'000, std::uint64_t{1} << 50), 0);
  EXPECT_LE(play(choice, 20, 20'000, 40'000, WayChoice::kShortestBytes), 10);
}

}  // namespace
}  // namespace mpiactor
