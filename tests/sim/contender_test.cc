#include "sim/contender.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "inter/registry.h"
#include "sim/library_plan.h"
#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

using Times = std::vector<Picoseconds>;

// Four nodes of four ranks on a switch.
ContenderInput input_of(Contender contender, RootSender sender, std::uint64_t bytes) {
  ContenderInput input;
  input.machine = load_machine("ddr_infiniband");
  input.shape = inter::Shape::line(4);
  input.ranks_per_node = 4;
  input.bytes = bytes;
  input.contender = contender;
  input.sender = sender;
  return input;
}

Times exits(Contender contender, RootSender sender, std::uint64_t bytes, const Times& entries,
            int root = 0) {
  return BroadcastPlayer(input_of(contender, sender, bytes)).exits(0, root, entries);
}

constexpr auto kRoot = RootSender::kRoot;
constexpr auto kNode = RootSender::kNode;

TEST(Contender, NobodyLeavesBeforeTheRootHasCome) {
  Times entries(16, 0);
  entries[5] = 300 * kUs;
  for (const Contender contender : kContenders) {
    const Times left = exits(contender, kNode, 40960, entries, 5);
    for (std::size_t rank = 0; rank < left.size(); ++rank) {
      EXPECT_GT(left[rank], entries[5]) << contender_name(contender) << " " << rank;
    }
  }
}

TEST(Contender, CompetitiveIsNeverLaterWhereLeadersAreLate) {
  Times entries(16, 0);
  for (const std::size_t leader : {4u, 8u, 12u}) entries[leader] = 500 * kUs;
  const Times fixed = exits(Contender::kStatic, kRoot, 1024, entries);
  const Times first = exits(Contender::kCompetitive, kRoot, 1024, entries);
  for (std::size_t rank = 0; rank < entries.size(); ++rank) {
    EXPECT_LE(first[rank], fixed[rank]) << rank;
    const bool waits = rank >= 4 && rank % 4 != 0;
    if (waits) {
      EXPECT_GT(fixed[rank], 500 * kUs) << rank;
      EXPECT_LT(first[rank], 50 * kUs) << rank;
    }
  }
}

TEST(Contender, NodesSpareTheirRootsTheWaitingForOthers) {
  Times entries(16, 0);
  std::fill(entries.begin() + 8, entries.begin() + 12, 800 * kUs);  // a node that the root's serves
  entries[1] = 100 * kUs;
  for (const Contender contender : {Contender::kStatic, Contender::kCompetitive}) {
    EXPECT_GT(exits(contender, kRoot, 40960, entries, 1)[1], 800 * kUs);
    const Times left = exits(contender, kNode, 40960, entries, 1);
    // 1 us of start-up and 27.3 of laying down.
    EXPECT_NEAR(static_cast<double>(left[1]), 128.3 * kUs, 0.1 * kUs);
    EXPECT_GT(left[0], 800 * kUs) << "who waited for the root sends";
    EXPECT_LT(left[2], 800 * kUs);
  }
  // The root comes first: nobody is there to send for it.
  entries[1] = 0;
  entries[0] = entries[2] = entries[3] = 10 * kUs;
  EXPECT_GT(exits(Contender::kCompetitive, kNode, 40960, entries, 1)[1], 800 * kUs);
}

TEST(Contender, HeldMessagesLetLeadersGo) {
  Times entries(16, 0);
  entries[6] = 900 * kUs;  // neither a leader nor a root
  for (const Contender contender : {Contender::kTwoLevel, Contender::kStatic}) {
    const Times left = exits(contender, kRoot, 40960, entries);
    EXPECT_LT(left[4], 400 * kUs) << contender_name(contender);
    // It copies alone: 40,960 bytes at 1,500 MB/s.
    EXPECT_NEAR(static_cast<double>(left[6]), 928.3 * kUs, 0.1 * kUs);
  }
  EXPECT_GT(exits(Contender::kPlain, kRoot, 40960, entries)[4], 900 * kUs)
      << "every rank waits for every other one in the library's allgather";
}

TEST(Contender, CopyingOverlapsWhatComes) {
  const Times entries(16, 0);
  const auto last = [&](Contender contender) {
    const Times left = exits(contender, kRoot, 262144, entries);
    return *std::max_element(left.begin(), left.end());
  };
  EXPECT_LT(last(Contender::kStatic), last(Contender::kTwoLevel));
}

TEST(Contender, ShortOnesAreAnnouncedNowAndThen) {
  BroadcastPlayer player(input_of(Contender::kStatic, kRoot, 1024));
  Times entries(16, 0);
  std::fill(entries.begin() + 8, entries.begin() + 12, 800 * kUs);
  EXPECT_LT(player.exits(62, 0, entries)[0], 100 * kUs);
  EXPECT_GT(player.exits(63, 0, entries)[0], 800 * kUs);
}

TEST(Contender, OneRankANodeNeedsNoCopies) {
  ContenderInput input = input_of(Contender::kStatic, kRoot, 8192);
  input.ranks_per_node = 1;
  input.algorithm = "linear";
  const Times left = BroadcastPlayer(input).exits(0, 0, Times(4, 0));
  // Start-up, then 8,192 bytes at 1,400 MB/s after a latency of 3 us.
  EXPECT_NEAR(static_cast<double>(left[1]), (1 + 3 + 8192 / 1400.0) * kUs, 0.01 * kUs);
}

TEST(Contender, RefusesWhatItCannotPlay) {
  const auto text = [](ContenderInput input) -> std::string {
    try {
      BroadcastPlayer player(std::move(input));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  ContenderInput input = input_of(Contender::kStatic, kRoot, 4 << 20);
  EXPECT_EQ(text(input), "size is 4M; allowed: 1 to 2M");
  input.contender = Contender::kPlain;
  EXPECT_EQ(text(input), "");
  input.bytes = std::uint64_t{4} << 30;
  EXPECT_EQ(text(input), "size is 4G; allowed: 1 to 1G");
  input.bytes = 1;
  input.candidates = 5;
  EXPECT_EQ(text(input), "candidates is 5; allowed: 0 to 4");
  input.candidates = 0;
  input.algorithm = "smoke";
  EXPECT_NE(text(input).find("algorithm of bcast is 'smoke'; allowed: linear"), std::string::npos);
  EXPECT_THROW(parse_root_sender("me"), InputError);
}

// Every taker gets all bytes, and with rdaas and ring the root as many as the others but for its
// own block.
TEST(LibraryPlan, MovesEveryBlockToEverybody) {
  for (const char* algorithm : {"rdaas", "ring"}) {
    for (const int takers : {2, 5, 8}) {
      std::uint64_t sent = 0;
      std::uint64_t received = 0;
      for (int taker = 0; taker < takers; ++taker) {
        inter::PlanInput input;
        input.shape = inter::Shape::line(takers);
        input.root_node = 1;
        input.bytes = 8000;
        input.node = taker;
        const inter::Plan plan = library_plan(algorithm, input);
        std::uint64_t own = 0;
        for (const inter::PlanOp& op : plan.ops) {
          (op.kind == inter::OpKind::kSend ? sent : own) += op.bytes;
        }
        EXPECT_GE(own, 8000u - 8000u / static_cast<unsigned>(takers)) << algorithm << taker;
        received += own;
      }
      EXPECT_EQ(sent, received) << algorithm << takers;
    }
  }
  EXPECT_STREQ(library_algorithm(12287, 16), "binomial");
  EXPECT_STREQ(library_algorithm(12288, 16), "rdaas");
  EXPECT_STREQ(library_algorithm(12288, 15), "ring");
  EXPECT_STREQ(library_algorithm(524288, 16), "ring");
}

}  // namespace
}  // namespace mpiactor::sim
