#include "inter/peer_buffers.h"

#include <gtest/gtest.h>

namespace mpiactor::inter {
namespace {

TEST(PeerBuffers, AllAreLargeUnlessToldOtherwise) {
  PeerBuffers peers({});
  for (int peer = 0; peer < 100; ++peer) EXPECT_TRUE(peers.use(peer));
  EXPECT_EQ(PeerBuffers::statistics().large_peers, 0);  // nobody counts
}

TEST(PeerBuffers, TheFirstOnesGetThem) {
  PeerBuffers peers({.most_large = 2, .uses_before_large = 0});
  EXPECT_TRUE(peers.use(7));
  EXPECT_TRUE(peers.use(3));
  EXPECT_FALSE(peers.use(1));
  EXPECT_TRUE(peers.use(7));
  EXPECT_FALSE(peers.use(1));
  EXPECT_EQ(PeerBuffers::statistics().large_peers, 2);
}

TEST(PeerBuffers, SavingWantsThemToBeUsedOften) {
  PeerBuffers peers({.most_large = 1, .uses_before_large = 3});
  for (int use = 0; use < 3; ++use) {
    EXPECT_FALSE(peers.use(5));
    EXPECT_FALSE(peers.use(6));
  }
  EXPECT_TRUE(peers.use(5));
  EXPECT_FALSE(peers.use(6));
}

TEST(PeerBuffers, SavingCountsFourTimesAsManyPeers) {
  PeerBuffers peers({.most_large = 1, .uses_before_large = 2});
  for (const int peer : {0, 1, 2, 3, 4}) EXPECT_FALSE(peers.use(peer));
  for (int use = 0; use < 9; ++use) EXPECT_FALSE(peers.use(4)) << "it came as the fifth";
  EXPECT_FALSE(peers.use(3));
  EXPECT_TRUE(peers.use(3));
}

TEST(PeerBuffers, NoneMeansNone) {
  PeerBuffers peers({.most_large = 0, .uses_before_large = 0});
  for (int use = 0; use < 20; ++use) EXPECT_FALSE(peers.use(0));
}

TEST(PeerBuffers, CommunicatorsShareTheNumberAndGiveBack) {
  PeerBuffers one({.most_large = 2, .uses_before_large = 0});
  {
    PeerBuffers other({.most_large = 2, .uses_before_large = 0});
    EXPECT_TRUE(other.use(0));
    EXPECT_TRUE(other.use(1));
    EXPECT_FALSE(one.use(0));
  }
  EXPECT_TRUE(one.use(0));
}

TEST(PeerBuffers, CountsWhatIsTakenIn) {
  PeerBuffers::Statistics& all = PeerBuffers::statistics();
  PeerBuffers::take(1000);
  PeerBuffers::take(500);
  PeerBuffers::give_back(1000);
  EXPECT_EQ(all.intake_bytes, 500u);
  EXPECT_EQ(all.most_intake_bytes, 1500u);
  PeerBuffers::give_back(500);
}

}  // namespace
}  // namespace mpiactor::inter
