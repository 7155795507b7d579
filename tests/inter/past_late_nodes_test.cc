// Broadcasts past late nodes as plans.
#include "inter/past_late_nodes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "inter/served_nodes.h"
#include "inter/tofu_algos/torus.h"
#include "inter/verifier.h"

namespace mpiactor::inter {
namespace {

const Algorithm& bcast(const char* name) { return *find_algorithm(Collective::kBcast, name); }

// `balanced`: empty where messages take no time.
ServedPlans serve(const Algorithm& algorithm, const Shape& shape, int root,
                  const std::vector<std::uint64_t>& arrivals, std::uint64_t patience,
                  std::vector<std::uint64_t> balanced = {}) {
  balanced.resize(arrivals.size());
  PlanInput input;
  input.shape = shape;
  input.root_node = root;
  input.bytes = 1000;
  return past_late_nodes(algorithm, input,
                         {.arrivals = arrivals, .balanced = balanced, .patience = patience});
}

// Whom `node` sends to, in the order of its plan, and from when.
struct Send {
  int to;
  std::uint64_t from;
  bool operator==(const Send&) const = default;
};
std::vector<Send> sends_of(const ServedPlans& served, std::size_t node) {
  std::vector<Send> sends;
  for (std::size_t i = 0; i < served.plans[node].ops.size(); ++i) {
    const PlanOp& op = served.plans[node].ops[i];
    if (op.kind == OpKind::kSend) sends.push_back({op.peer, served.starts[node][i]});
  }
  return sends;
}

TEST(PastLateNodes, NobodyLateLeavesThePlans) {
  const ServedPlans served =
      serve(bcast("binomial"), Shape::line(8), 3, std::vector<std::uint64_t>(8, 50), 10);
  EXPECT_EQ(served.adopted, 0);
  PlanInput input{.shape = Shape::line(8), .root_node = 3, .bytes = 1000};
  for (input.node = 0; input.node < 8; ++input.node) {
    const Plan planned = bcast("binomial").make_plan(input);
    const Plan& plan = served.plans[static_cast<std::size_t>(input.node)];
    ASSERT_EQ(plan.ops.size(), planned.ops.size());
    for (std::size_t i = 0; i < plan.ops.size(); ++i) {
      EXPECT_EQ(plan.ops[i].kind, planned.ops[i].kind);
      EXPECT_EQ(plan.ops[i].peer, planned.ops[i].peer);
    }
    EXPECT_EQ(plan.waits, planned.waits);
  }
}

TEST(PastLateNodes, ALateRootIsWaitedFor) {
  EXPECT_EQ(serve(bcast("chain"), Shape::line(4), 0, {100, 0, 0, 0}, 10).adopted, 0);
}

// 0 -> 1 -> 2 -> 3, node 1 late: node 0 serves node 2, which serves node 3 as planned.
TEST(PastLateNodes, ANodeAboveServesInPlaceOfALateOne) {
  const ServedPlans served = serve(bcast("chain"), Shape::line(4), 0, {5, 100, 0, 0}, 10);
  EXPECT_EQ(served.adopted, 1);
  EXPECT_EQ(sends_of(served, 0), (std::vector<Send>{{1, 5}, {2, 15}}));
  EXPECT_EQ(sends_of(served, 1), std::vector<Send>{});
  EXPECT_EQ(sends_of(served, 2), (std::vector<Send>{{3, 0}}));
}

// Two late ones in a row: node 3 hears of node 0 when that has waited twice as long.
TEST(PastLateNodes, SeveralLateOnesInARow) {
  const ServedPlans served = serve(bcast("chain"), Shape::line(4), 0, {0, 100, 90, 0}, 10);
  EXPECT_EQ(sends_of(served, 0), (std::vector<Send>{{1, 0}, {3, 20}}));
  EXPECT_EQ(sends_of(served, 1), (std::vector<Send>{{2, 100}}));
  EXPECT_EQ(served.adopted, 1);
}

TEST(PastLateNodes, WhoComesBeforePatienceEndsServes) {
  EXPECT_EQ(serve(bcast("chain"), Shape::line(4), 0, {0, 9, 0, 0}, 10).adopted, 0);
  EXPECT_EQ(serve(bcast("chain"), Shape::line(4), 0, {0, 11, 0, 0}, 10).adopted, 1);
  EXPECT_EQ(serve(bcast("chain"), Shape::line(4), 0, {0, 100, 95, 0}, 10).adopted, 1)
      << "node 2 has not waited by the time that node 1 comes, node 3 has";
}

// Messages that take longer than patience: those before them have come, and are served.
TEST(PastLateNodes, SlowMessagesMakeNobodyLate) {
  EXPECT_EQ(serve(bcast("chain"), Shape::line(4), 0, {0, 0, 0, 0}, 10, {0, 100, 200, 300}).adopted,
            0);
}

// Node 0 serves node 2 in place of node 1; node 3 is node 2's, though that has its bytes later than
// node 0 could begin.
TEST(PastLateNodes, WhoIsServedOutOfTurnServesAsPlanned) {
  const ServedPlans served =
      serve(bcast("chain"), Shape::line(4), 0, {0, 1000, 0, 0}, 10, {0, 100, 200, 300});
  EXPECT_EQ(sends_of(served, 0), (std::vector<Send>{{1, 0}, {2, 10}}));
  EXPECT_EQ(sends_of(served, 2), (std::vector<Send>{{3, 0}}));
}

// Of 128 nodes in a binomial tree the 28 of the first two levels are late, and the 35 below them
// are more than the root may serve.
TEST(PastLateNodes, ANodeServesAtMostSoManyOutOfTurn) {
  std::vector<std::uint64_t> arrivals(128, 0);
  for (unsigned node = 1; node < arrivals.size(); ++node) {
    if (std::popcount(node) <= 2) arrivals[node] = 1'000'000;
  }
  const ServedPlans served = serve(bcast("binomial"), Shape::line(128), 0, arrivals, 1);
  EXPECT_EQ(sends_of(served, 0).size(), 7 + kMostAdopted);
  EXPECT_EQ(served.adopted, static_cast<int>(kMostAdopted));
}

// Each byte reaches every node once, whoever is late.
TEST(PastLateNodes, PlansHoldForAnyArrivals) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t below) { return random() % below; };
  int adopted = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.is_of_trees) continue;
    for (const char* text : {"2", "5", "16m", "61", "4x3", "5mx4m", "4x3x2", "3mx4x3m", "6x5x4"}) {
      const Shape shape = parse_shape(text);
      if (!algorithm.supports(shape)) continue;
      for (int round = 0; round < 20; ++round) {
        const auto nodes = static_cast<std::size_t>(shape.nodes());
        PlanInput input{.shape = shape, .root_node = static_cast<int>(draw(nodes))};
        input.bytes = 1 + draw(5000);
        std::vector<std::uint64_t> arrivals(nodes);
        std::vector<std::uint64_t> balanced(nodes);
        for (std::uint64_t& arrival : arrivals) arrival = draw(3) == 0 ? draw(1000) : draw(100);
        for (std::uint64_t& time : balanced) time = draw(20);
        balanced[static_cast<std::size_t>(input.root_node)] = 0;
        const ServedPlans served = past_late_nodes(
            algorithm, input, {.arrivals = arrivals, .balanced = balanced, .patience = draw(50)});
        adopted += served.adopted;
        const VerifyReport report = verify_plans(served.plans, {.shape = shape,
                                                                .root_node = input.root_node,
                                                                .bytes = input.bytes,
                                                                .segment_bytes = 1 + draw(2000),
                                                                .seed = random()});
        ASSERT_EQ(report.error, "") << algorithm.name << " on " << text;
        ASSERT_EQ(report.max_received_bytes, input.bytes);
        for (std::size_t node = 0; node < nodes; ++node) {
          ASSERT_EQ(served.starts[node].size(), served.plans[node].ops.size());
          for (const std::uint64_t start : served.starts[node]) ASSERT_GE(start, arrivals[node]);
        }
      }
    }
  }
  EXPECT_GT(adopted, 1000);
}

}  // namespace
}  // namespace mpiactor::inter
