// What the built-in rules say at their limits, and how a file's rules come before them.
#include "inter/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "inter/built_in_rules.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor::inter {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kKi = 1 << 10;
constexpr std::uint64_t kMi = 1 << 20;
// Of a blocking call of floating-point numbers, with competitive leaders and single copy.
constexpr unsigned kMost =
    kMayPass | kMayPassBlocking | kReadsOthers | kHasSendBuffers | kCompetes | kCombinesShares;
constexpr unsigned kStatic = kMost & ~(kCompetes | kCombinesShares);

Layout layout_of(int nodes, int ranks, bool crowded) {
  return {.members = ranks,
          .ranks = static_cast<std::uint64_t>(nodes) * static_cast<std::uint64_t>(ranks),
          .crowded = crowded};
}

struct Job {
  int nodes = 1;
  int ranks = 2;  // on each node
  bool crowded = false;
  unsigned abilities = kMost;

  std::string served(Call call, std::uint64_t bytes) const {
    return find_rule({}, call, Shape::line(nodes), layout_of(nodes, ranks, crowded), bytes,
                     abilities)
        .name();
  }
};

TEST(BuiltInRules, EveryCallHasOneWhateverItsRanksCanDo) {
  const Tuning none;
  for (const Call call : all_calls()) {
    for (const int nodes : {1, 2, 4, 5, 8, 9, 100}) {
      for (const int ranks : {1, 2, 3, 4, 64, 5000}) {
        for (const bool crowded : {false, true}) {
          const RuleTable table(none, Shape::line(nodes), layout_of(nodes, ranks, crowded));
          for (unsigned abilities : {0u, kStatic & ~kMayPass, kMost, ~0u}) {
            if (call == Call::kScatterv && nodes > 1) abilities |= kMayPass;
            for (std::uint64_t bytes = 0; bytes < 64 * kMi; bytes = 2 * bytes + 1) {
              EXPECT_NO_THROW(table.find(call, bytes, abilities));
            }
          }
        }
      }
    }
  }
}

TEST(BuiltInRules, Broadcasts) {
  EXPECT_EQ(Job{.nodes = 1}.served(Call::kBcast, 8), "staging");
  EXPECT_EQ(Job{}.served(Call::kBcast, 16 * kKi - 1), "staging");
  EXPECT_EQ(Job{}.served(Call::kBcast, 16 * kKi), "single_copy");
  EXPECT_EQ(Job{}.served(Call::kBcast, 2 * kMi), "staging");
  EXPECT_EQ((Job{.ranks = 3}.served(Call::kBcast, 16 * kKi)), "staging");
  EXPECT_EQ((Job{.crowded = true}.served(Call::kBcast, 16 * kKi)), "staging");
  EXPECT_EQ(Job{.nodes = 4}.served(Call::kBcast, 64 * kMi), "linear");
  // Never the library: where ranks believe in different sizes, they take one way.
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kBcast, 1)), "linear");
  EXPECT_EQ(Job{.nodes = 5}.served(Call::kBcast, 1), "binomial");
  EXPECT_EQ(Job{.nodes = 32}.served(Call::kBcast, 16 * kKi), "binomial");
  EXPECT_EQ(Job{.nodes = 32}.served(Call::kBcast, 16 * kKi + 1), "auto");
  EXPECT_EQ(Job{.nodes = 33}.served(Call::kBcast, 16 * kKi), "binomial");
  EXPECT_EQ(Job{.nodes = 33}.served(Call::kBcast, 16 * kKi + 1), "auto");
  EXPECT_EQ(Job{.nodes = 5}.served(Call::kBcast, 512 * kKi - 1), "auto");
  EXPECT_EQ(Job{.nodes = 8}.served(Call::kBcast, 512 * kKi), "rdaas");
  EXPECT_EQ(Job{.nodes = 9}.served(Call::kBcast, kMi - 1), "auto");
  EXPECT_EQ(Job{.nodes = 16}.served(Call::kBcast, kMi), "rdaas");
  EXPECT_EQ(Job{.nodes = 17}.served(Call::kBcast, kMi), "auto");
  const Shape torus{{3, 3, 1}};
  EXPECT_STREQ(find_rule({}, Call::kBcast, torus, layout_of(9, 2, false), kMi, kMost).name(),
               "auto");
}

TEST(BuiltInRules, Reductions) {
  EXPECT_EQ(Job{.nodes = 1}.served(Call::kReduce, 8), "staging");
  EXPECT_EQ((Job{.nodes = 8, .abilities = kStatic}.served(Call::kReduce, 8)), "direct");
  EXPECT_EQ(Job{.nodes = 8}.served(Call::kReduce, 64 * kMi), "direct");
  EXPECT_EQ((Job{.nodes = 9, .abilities = kStatic}.served(Call::kReduce, 8)), "direct");
  EXPECT_EQ(Job{.nodes = 32}.served(Call::kReduce, 16 * kKi), "direct");
  EXPECT_EQ(Job{.nodes = 32}.served(Call::kReduce, 16 * kKi + 1), "auto");
  EXPECT_EQ(Job{.nodes = 33}.served(Call::kReduce, 8), "auto");
  const Shape torus{{3, 3, 1}};
  EXPECT_STREQ(find_rule({}, Call::kReduce, torus, layout_of(9, 2, false), 8, kMost).name(),
               "auto");
  EXPECT_EQ(Job{.nodes = 8}.served(Call::kAllreduce, 16 * kKi), "direct");
  for (const int nodes : {3, 8}) {
    EXPECT_EQ((Job{.nodes = nodes, .ranks = 1}.served(Call::kAllreduce, 1)), "library");
    EXPECT_EQ((Job{.nodes = nodes, .ranks = 1}.served(Call::kAllreduce, 16 * kKi)), "library");
  }
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAllreduce, 16)), "library");
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAllreduce, 17)), "direct");
  EXPECT_EQ((Job{.nodes = 8, .abilities = kStatic}.served(Call::kAllreduce, 8)), "auto");
  EXPECT_EQ(Job{.nodes = 4}.served(Call::kAllreduce, 16 * kKi + 1), "shares");
  EXPECT_EQ(Job{.nodes = 5}.served(Call::kAllreduce, 64 * kKi - 1), "auto");
  EXPECT_EQ(Job{.nodes = 5}.served(Call::kAllreduce, 64 * kKi), "shares");
  EXPECT_EQ(Job{.nodes = 9}.served(Call::kAllreduce, 8), "auto");
  EXPECT_EQ(Job{.nodes = 8}.served(Call::kReduceScatter, 8), "shares");
  EXPECT_EQ(Job{.nodes = 9}.served(Call::kAllreduce, 128 * kKi - 1), "auto");
  EXPECT_EQ(Job{.nodes = 16}.served(Call::kAllreduce, 128 * kKi), "rabenseifner");
  EXPECT_EQ(Job{.nodes = 17}.served(Call::kAllreduce, 128 * kKi), "auto");
  // Members that combine as they come, or would if the order were free, have the nodes' plan, too.
  const Rule* const plan = find_plan_rule(Tuning{}, Collective::kAllreduce, Shape::line(12), kMi,
                                          layout_of(12, 3, true));
  ASSERT_NE(plan, nullptr);
  EXPECT_STREQ(plan->algorithm->name, "rabenseifner");
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAllreduce, 64 * kKi)), "auto");
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAllreduce, 64 * kKi + 1)), "library");
  EXPECT_EQ((Job{.nodes = 12, .ranks = 1}.served(Call::kAllreduce, kMi)), "library");
  EXPECT_EQ((Job{.nodes = 4, .ranks = 1}.served(Call::kReduceScatter, 8)), "direct");
  EXPECT_EQ((Job{.nodes = 5, .ranks = 1}.served(Call::kReduceScatter, 8)), "library");
  EXPECT_EQ(Job{.nodes = 9}.served(Call::kReduceScatter, 8), "library");
  for (const Call call : {Call::kAllreduce, Call::kReduceScatter}) {
    EXPECT_STRNE(find_rule({}, call, torus, layout_of(9, 1, false), kMi, kMost).name(), "library");
  }
}

// Barriers count as allreduces of one byte.
TEST(BuiltInRules, TheShortestWhereThereAreMoreRanksThanCores) {
  const auto served = [](int nodes, int ranks, std::uint64_t bytes) {
    return Job{.nodes = nodes, .ranks = ranks, .crowded = true}.served(Call::kAllreduce, bytes);
  };
  EXPECT_EQ(served(2, 2, 1), "direct");
  EXPECT_EQ(served(3, 3, 16), "library");
  EXPECT_EQ(served(3, 3, 17), "direct");
  EXPECT_EQ(served(4, 4, 1), "direct");
  EXPECT_EQ(served(5, 4, 16), "library");
  EXPECT_EQ((Job{.nodes = 5}.served(Call::kAllreduce, 1)), "direct");
  const Job nonblocking{.nodes = 5, .crowded = true, .abilities = kMost & ~kMayPassBlocking};
  EXPECT_EQ(nonblocking.served(Call::kAllreduce, 1), "direct");
}

TEST(BuiltInRules, WhatIsCombinedAsItComes) {
  const auto by_arrival = [](Call call, int nodes, int ranks, bool crowded, std::uint64_t bytes,
                             unsigned abilities = kMost | kOrderIsFree) {
    return find_rule({}, call, Shape::line(nodes), layout_of(nodes, ranks, crowded), bytes,
                     abilities)
        .by_arrival;
  };
  EXPECT_TRUE(by_arrival(Call::kAllreduce, 1, 2, false, 64 * kKi));
  EXPECT_FALSE(by_arrival(Call::kAllreduce, 1, 2, false, 64 * kKi - 1));
  EXPECT_FALSE(by_arrival(Call::kAllreduce, 1, 2, false, 64 * kKi, kMost));
  EXPECT_FALSE(by_arrival(Call::kAllreduce, 1, 3, false, 64 * kKi));
  EXPECT_FALSE(by_arrival(Call::kAllreduce, 2, 2, false, 64 * kKi));
  EXPECT_FALSE(by_arrival(Call::kAllreduce, 1, 2, true, 1 * kMi));
  for (const Call call : {Call::kReduce, Call::kAllreduce}) {
    for (const int nodes : {1, 4, 9}) {
      EXPECT_TRUE(by_arrival(call, nodes, 3, true, 256 * kKi));
      EXPECT_FALSE(by_arrival(call, nodes, 3, true, 256 * kKi - 1));
      EXPECT_FALSE(by_arrival(call, nodes, 3, false, 256 * kKi));
    }
  }
  EXPECT_FALSE(by_arrival(Call::kReduceScatter, 1, 3, true, 1 * kMi));
}

TEST(BuiltInRules, AllgathersOnOneNode) {
  for (const Call call : {Call::kAllgather, Call::kAllgatherv}) {
    EXPECT_EQ((Job{.ranks = 4}.served(call, 512)), "staging");
    EXPECT_EQ((Job{.ranks = 4}.served(call, 513)), "send_buffers");
    EXPECT_EQ((Job{.ranks = 4}.served(call, 32 * kKi - 1)), "send_buffers");
    EXPECT_EQ((Job{.ranks = 4}.served(call, 32 * kKi)), "single_copy");
    EXPECT_EQ((Job{.ranks = 4}.served(call, 2 * kMi)), "single_copy");
    EXPECT_EQ((Job{.ranks = 4}.served(call, 2 * kMi + 1)), "staging");
    const Job crowded{.ranks = 4, .crowded = true};
    EXPECT_EQ(crowded.served(call, 512), "staging");
    EXPECT_EQ(crowded.served(call, 513), "library");
    EXPECT_EQ(crowded.served(call, 8 * kKi - 1), "library");
    EXPECT_EQ(crowded.served(call, 8 * kKi), "staging");
    EXPECT_EQ(crowded.served(call, 128 * kKi - 1), "staging");
    EXPECT_EQ(crowded.served(call, 128 * kKi), "single_copy");
    EXPECT_EQ((Job{.ranks = 2}.served(call, 64 * kMi)), "single_copy");
  }
  // Where neither single copy nor send buffers turn out to work.
  const Job neither{.ranks = 2, .abilities = kMost & ~(kReadsOthers | kHasSendBuffers)};
  EXPECT_EQ(neither.served(Call::kAllgather, 8 * kKi - 1), "library");
  EXPECT_EQ(neither.served(Call::kAllgather, 256 * kKi), "staging");
  EXPECT_EQ(neither.served(Call::kAllgather, 256 * kKi + 1), "library");
  EXPECT_EQ(neither.served(Call::kAllgatherv, 256 * kKi + 1), "staging");
}

TEST(BuiltInRules, AllgathersBetweenNodes) {
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAllgather, 8)), "library");
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAllgatherv, 16 * kKi)), "library");
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAllgatherv, 16 * kKi + 1)), "auto");
  EXPECT_EQ(Job{.nodes = 4}.served(Call::kAllgather, 1024 * kMi), "direct");
  EXPECT_EQ(Job{.nodes = 5}.served(Call::kAllgather, 128 * kKi), "direct");
  EXPECT_EQ(Job{.nodes = 5}.served(Call::kAllgather, 128 * kKi + 1), "library");
  EXPECT_EQ(Job{.nodes = 9}.served(Call::kAllgather, 32 * kKi), "auto");
  EXPECT_EQ(Job{.nodes = 9}.served(Call::kAllgather, 32 * kKi + 1), "library");
  EXPECT_EQ(Job{.nodes = 8}.served(Call::kAllgatherv, 8), "direct");
  EXPECT_EQ(Job{.nodes = 16}.served(Call::kAllgatherv, kKi), "library");
  EXPECT_EQ(Job{.nodes = 16}.served(Call::kAllgatherv, kKi + 1), "auto");
  const Shape torus{{4, 4, 1}};
  EXPECT_STREQ(find_rule({}, Call::kAllgatherv, torus, layout_of(16, 2, false), 8, kMost).name(),
               "auto");
  const Job with_static{.nodes = 4, .abilities = kStatic};
  EXPECT_EQ(with_static.served(Call::kAllgather, 8 * kKi), "bruck");
  EXPECT_EQ(with_static.served(Call::kAllgather, 8 * kKi + 1), "ring");
}

TEST(BuiltInRules, VariableExchangesOfSingleRanksHaveNoMessagesToJoin) {
  for (const Call call : {Call::kGatherv, Call::kAlltoallv}) {
    EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(call, 8)), "library");
    EXPECT_EQ((Job{.nodes = 16, .ranks = 2}.served(call, 8)), "direct");
    EXPECT_EQ((Job{.nodes = 1, .ranks = 2}.served(call, 8)), "staging");
  }
}

TEST(BuiltInRules, Alltoalls) {
  EXPECT_EQ(Job{}.served(Call::kAlltoall, 32 * kKi - 1), "staging");
  EXPECT_EQ(Job{}.served(Call::kAlltoall, 32 * kKi), "single_copy");
  EXPECT_EQ((Job{.crowded = true}.served(Call::kAlltoall, 64 * kKi)), "staging");
  EXPECT_EQ((Job{.crowded = true}.served(Call::kAlltoall, 64 * kKi + 1)), "library");
  EXPECT_EQ((Job{.crowded = true}.served(Call::kAlltoall, 128 * kKi)), "single_copy");
  EXPECT_EQ((Job{.nodes = 2, .ranks = 1}.served(Call::kAlltoall, 8)), "library");
  EXPECT_EQ((Job{.nodes = 8, .ranks = 3}.served(Call::kAlltoall, 4 * kKi)), "direct");
  EXPECT_EQ((Job{.nodes = 8, .ranks = 3}.served(Call::kAlltoall, 4 * kKi + 1)), "library");
  EXPECT_EQ((Job{.nodes = 8, .ranks = 4}.served(Call::kAlltoall, 64 * kKi)), "direct");
  EXPECT_EQ((Job{.nodes = 8, .ranks = 4}.served(Call::kAlltoall, 64 * kKi + 1)), "library");
  EXPECT_EQ((Job{.nodes = 9, .ranks = 4}.served(Call::kAlltoall, 4 * kKi)), "auto");
  EXPECT_EQ((Job{.nodes = 9, .ranks = 4}.served(Call::kAlltoall, 4 * kKi + 1)), "library");
  const Job with_static{.nodes = 2, .ranks = 4, .abilities = kStatic};
  EXPECT_EQ(with_static.served(Call::kAlltoall, 8 * kKi), "linear");
  EXPECT_EQ(with_static.served(Call::kAlltoall, 8 * kKi + 1), "pairwise");
}

TEST(BuiltInRules, RootedOnes) {
  for (const Call call : {Call::kGather, Call::kGatherv, Call::kAlltoallv}) {
    EXPECT_EQ(Job{.nodes = 1}.served(call, 8), "staging");
    EXPECT_EQ(Job{.nodes = 100}.served(call, 8), "direct");
  }
  for (const Call call : {Call::kScatter, Call::kScatterv}) {
    EXPECT_EQ(Job{}.served(call, 16 * kKi - 1), "staging");
    EXPECT_EQ(Job{}.served(call, 16 * kKi), "single_copy");
    EXPECT_EQ(Job{}.served(call, 4 * kMi - 1), "single_copy");
    EXPECT_EQ(Job{}.served(call, 4 * kMi), "staging");
    EXPECT_EQ((Job{.crowded = true}.served(call, 1 * kMi)), "staging");
  }
  for (const Call call : {Call::kGather, Call::kGatherv}) {
    EXPECT_EQ(Job{}.served(call, 16 * kKi - 1), "staging");
    EXPECT_EQ(Job{}.served(call, 256 * kKi), "single_copy");
    EXPECT_EQ((Job{.crowded = true}.served(call, 256 * kKi)), "staging");
  }
  EXPECT_EQ(Job{}.served(Call::kGather, 256 * kKi + 1), "staging");
  EXPECT_EQ(Job{}.served(Call::kGatherv, 16 * kMi - 1), "single_copy");
  EXPECT_EQ(Job{}.served(Call::kGatherv, 16 * kMi), "staging");
  EXPECT_EQ(Job{}.served(Call::kAlltoallv, 32 * kKi), "single_copy");
  EXPECT_EQ((Job{.crowded = true}.served(Call::kAlltoallv, 128 * kKi - 1)), "staging");
  EXPECT_EQ((Job{.crowded = true}.served(Call::kAlltoallv, 128 * kKi)), "single_copy");
  EXPECT_EQ(Job{.nodes = 2}.served(Call::kScatter, 1 * kMi), "direct");
  EXPECT_EQ(Job{.nodes = 2}.served(Call::kScatter, 1 * kMi + 1), "library");
  EXPECT_EQ(Job{.nodes = 2}.served(Call::kScatterv, 0), "library");
}

// MPIACTOR_NEVER_WORSE=0.
TEST(BuiltInRules, NothingNeedBeLeftToTheLibrary) {
  Layout layout = layout_of(1, 4, true);
  layout.never_worse = false;
  const auto name = [&](Call call, int nodes, std::uint64_t bytes) {
    return std::string(find_rule({}, call, Shape::line(nodes), layout, bytes, kMost).name());
  };
  EXPECT_EQ(name(Call::kAllgather, 1, 8 * kKi - 1), "send_buffers");
  EXPECT_EQ(name(Call::kAllgather, 1, 32 * kKi), "staging");
  EXPECT_EQ(name(Call::kScatter, 1, 128 * kKi), "single_copy");
  EXPECT_EQ(name(Call::kAlltoall, 1, 64 * kKi + 1), "staging");
  layout.ranks = 20;
  EXPECT_EQ(name(Call::kAllreduce, 5, 1), "direct");
  // Nodes have no way for it.
  EXPECT_EQ(name(Call::kScatterv, 5, 0), "library");
}

// A setting or a torus asks for plans.
TEST(BuiltInRules, WherePlansAreAskedFor) {
  Layout layout = layout_of(4, 4, false);
  layout.asked_plans = ~0u;
  const auto name = [&](Call call) {
    return std::string(find_rule({}, call, Shape::line(4), layout, 64 * kKi, kMost).name());
  };
  EXPECT_EQ(name(Call::kReduce), "auto");
  EXPECT_EQ(name(Call::kAllreduce), "auto");
  EXPECT_EQ(name(Call::kReduceScatter), "direct");
  EXPECT_EQ(name(Call::kAllgather), "ring");
  EXPECT_EQ(name(Call::kAllgatherv), "auto");
  EXPECT_EQ(name(Call::kGather), "direct");
  // Contributions are combined as they come all the same.
  layout.crowded = true;
  const Rule long_reduce =
      find_rule({}, Call::kReduce, Shape::line(4), layout, 256 * kKi, kMost | kOrderIsFree);
  EXPECT_STREQ(long_reduce.name(), "auto");
  EXPECT_TRUE(long_reduce.by_arrival);
}

TEST(BuiltInRules, AreThoseOfTheirText) {
  const Tuning parsed = Tuning::parse(built_in_table(), "rules.json");
  for (const Call call : all_calls()) {
    SCOPED_TRACE(call_name(call));
    std::vector<Rule> rules = parsed.rules[static_cast<std::size_t>(call)];
    for (Rule& rule : rules) rule.is_built_in = true;
    const std::span<const Rule> built_in = built_in_rules(call);
    ASSERT_EQ(built_in.size(), rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
      EXPECT_TRUE(built_in[i] == rules[i]) << "line " << rules[i].line;
    }
  }
}

Tuning table(const std::string& rules) {
  return Tuning::parse(R"({"format": "mpiactor-tuning-1", )" + rules + "}", "table.json");
}

TEST(FilesRules, ComeBeforeTheBuiltInOnes) {
  const Tuning tuning = table(R"("alltoall": [{"nodes": "2..4", "ranks": 2, "from": "1K",
      "below": "1M", "algorithm": "pairwise"}],
    "allreduce": [{"up_to": 1, "calls": "blocking", "algorithm": "library"},
                  {"crowded": true, "algorithm": "shares"}])");
  const auto rule = [&](Call call, int nodes, int ranks, std::uint64_t bytes, bool crowded = false,
                        unsigned abilities = kMost) -> const Rule& {
    return find_rule(tuning, call, Shape::line(nodes), layout_of(nodes, ranks, crowded), bytes,
                     abilities);
  };
  EXPECT_STREQ(rule(Call::kAlltoall, 4, 2, 1023).name(), "direct");
  EXPECT_TRUE(rule(Call::kAlltoall, 4, 2, 1023).is_built_in);
  EXPECT_STREQ(rule(Call::kAlltoall, 4, 2, 1024).name(), "pairwise");
  EXPECT_FALSE(rule(Call::kAlltoall, 4, 2, 1024).is_built_in);
  EXPECT_STREQ(rule(Call::kAlltoall, 4, 2, kMi - 1).name(), "pairwise");
  EXPECT_STREQ(rule(Call::kAlltoall, 4, 2, kMi).name(), "library");
  EXPECT_STREQ(rule(Call::kAlltoall, 4, 3, 1024).name(), "direct");
  EXPECT_STREQ(rule(Call::kAllreduce, 2, 2, 1).name(), "library");
  EXPECT_STREQ(rule(Call::kAllreduce, 2, 2, 1, false, kMost & ~kMayPassBlocking).name(), "direct");
  EXPECT_STREQ(rule(Call::kAllreduce, 2, 2, 8, true).name(), "shares");
  // What cannot be done is passed over.
  EXPECT_STREQ(rule(Call::kAllreduce, 1, 2, 8, true).name(), "staging");
  EXPECT_STREQ(rule(Call::kAllreduce, 2, 2, 8, true, kStatic).name(), "auto");
}

// Tags tell the messages of so many nodes apart.
TEST(FilesRules, DirectReducesAreForUpTo1024Nodes) {
  const Tuning tuning = table(R"("reduce": [{"algorithm": "direct"}])");
  const auto served = [&](int nodes) -> std::string {
    return find_rule(tuning, Call::kReduce, Shape::line(nodes), layout_of(nodes, 2, false), kMi,
                     kMost)
        .name();
  };
  EXPECT_EQ(served(1024), "direct");
  EXPECT_NE(served(1025), "direct");
}

// Bytes of a call of 4 ranks on each of 2 nodes.
TEST(FilesRules, CountBytesOf) {
  const auto longest = [](const std::string& of) {
    const Tuning tuning =
        table(R"("alltoall": [{"of": ")" + of + R"(", "up_to": "64K", "algorithm": "bruck"}])");
    std::uint64_t bytes = 0;
    const auto fits = [&](std::uint64_t candidate) {
      return !find_rule(tuning, Call::kAlltoall, Shape::line(2), layout_of(2, 4, false), candidate,
                        kMost)
                  .is_built_in;
    };
    for (std::uint64_t step = kMi; step != 0; step /= 2) {
      if (fits(bytes + step)) bytes += step;
    }
    return bytes;
  };
  EXPECT_EQ(longest("call"), 64 * kKi);
  EXPECT_EQ(longest("message"), 4 * kKi);
  EXPECT_EQ(longest("buffer"), 8 * kKi);
  EXPECT_EQ(longest("buffers"), 1 * kKi);
}

TEST(FilesRules, PlansByWhatOneRequestMoves) {
  const Tuning tuning =
      table(R"("allgather": [{"up_to": "1K", "algorithm": "recdoubling"}, {"algorithm": "direct"},
                             {"of": "message", "up_to": "8K", "algorithm": "ring"},
                             {"algorithm": "auto"}])");
  const auto plan = [&](std::uint64_t message_bytes) {
    const Rule* const rule = find_plan_rule(tuning, Collective::kAllgather, Shape::line(4),
                                            message_bytes, layout_of(4, 4, false));
    return std::string(rule ? rule->name() : "model");
  };
  EXPECT_EQ(plan(4 * kKi), "recdoubling");
  EXPECT_EQ(plan(8 * kKi), "ring");
  EXPECT_EQ(plan(8 * kKi + 4), "model");
}

TEST(FilesRules, MistakesAreNamedWithTheirLine) {
  const auto error_of = [](const std::string& rest) {
    try {
      Tuning::parse("{\"format\": \"mpiactor-tuning-1\",\n" + rest + "}", "table.json");
    } catch (const TuningError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of("\"gather\": [\n {\"algorithm\": \"direct\"},\n\n {\"nodes\": 4,\n"
                       "  \"algorithm\": \"ring\"}]"),
              HasSubstr("tuning table 'table.json', line 6: gather[1].algorithm: 'ring' is "
                        "unknown; allowed: library, staging, single_copy, direct"));
  EXPECT_THAT(error_of("\"bcast\": [\n{\"nodes\": 2}]"),
              HasSubstr("line 3: bcast[0]: has no \"algorithm\""));
  EXPECT_THAT(error_of("\"bcast\": [{\"algorithm\": \"auto\", \"crowded\": 1}]"),
              HasSubstr("line 2: bcast[0].crowded: 1 is unknown; allowed: true, false"));
  EXPECT_THAT(error_of("\"bcast\": [{\"algorithm\": \"auto\", \"of\": \"row\"}]"),
              HasSubstr("\"row\" is unknown; allowed: call, message, buffer, buffers"));
  EXPECT_THAT(error_of("\"bcast\": [{\"algorithm\": \"auto\", \"over\": 8, \"up_to\": 8}]"),
              HasSubstr("bcast[0]: no size fits it"));
  EXPECT_THAT(error_of("\"bcast\": [{\"algorithm\": \"auto\", \"segment\": \"1K\"}]"),
              HasSubstr("bcast[0].segment: 'auto' has no segments to set"));
  EXPECT_THAT(error_of("\"allreduce\": [{\"algorithm\": \"direct\", \"calls\": \"blocking\"}]"),
              HasSubstr("\"blocking\" goes with \"algorithm\": \"library\" alone"));
  EXPECT_THAT(error_of("\"gather\": [{\"algorithm\": \"direct\", \"combine\": \"arrival\"}]"),
              HasSubstr("\"arrival\" is not possible in gather by 'direct'"));
  EXPECT_THAT(error_of("\"allreduce\": [{\"algorithm\": \"ring\", \"combine\": \"arrival\"}]"),
              HasSubstr("\"arrival\" is not possible in allreduce by 'ring'"));
  EXPECT_THAT(error_of("\"link\": {\n\"network\": \"mesh\"}"), HasSubstr("line 3: link.network:"));
  EXPECT_THAT(error_of("\"bcst\": []"), HasSubstr("line 1: table: unknown key 'bcst'"));
  EXPECT_THAT(error_of("\"bcast\": [\n}"), HasSubstr("line 3: byte"));
}

}  // namespace
}  // namespace mpiactor::inter
