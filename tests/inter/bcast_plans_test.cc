// Small plans written down by hand, operation by operation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "inter/registry.h"

namespace mpiactor::inter {
namespace {

// "recv 1 [0,16) ch0" | "send 2 [0,16) ch0 after 0"; operations separated by "; ".
std::string text_of(const Plan& plan) {
  std::string text;
  for (const PlanOp& op : plan.ops) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {} [{},{}) ch{}", op.kind == OpKind::kSend ? "send" : "recv", op.peer,
                        op.offset, op.end(), op.channel);
    const char* separator = " after ";
    for (std::uint32_t wait : plan.waits_of(op)) {
      text += separator + std::to_string(wait);
      separator = ",";
    }
  }
  return text;
}

std::string plan_text(const char* name, int nodes, int root, std::uint64_t bytes, int node) {
  const Algorithm* algorithm = find_algorithm(Collective::kBcast, name);
  if (algorithm == nullptr) return "no such algorithm";
  return text_of(algorithm->make_plan(
      {.shape = Shape::line(nodes), .root_node = root, .bytes = bytes, .node = node}));
}

TEST(BcastPlans, BinomialOfEight) {
  const auto plan = [](int node) { return plan_text("binomial", 8, 0, 16, node); };
  EXPECT_EQ(plan(0), "send 4 [0,16) ch0; send 2 [0,16) ch0; send 1 [0,16) ch0");
  EXPECT_EQ(plan(1), "recv 0 [0,16) ch0");
  EXPECT_EQ(plan(2), "recv 0 [0,16) ch0; send 3 [0,16) ch0 after 0");
  EXPECT_EQ(plan(3), "recv 2 [0,16) ch0");
  EXPECT_EQ(plan(4), "recv 0 [0,16) ch0; send 6 [0,16) ch0 after 0; send 5 [0,16) ch0 after 0");
  EXPECT_EQ(plan(5), "recv 4 [0,16) ch0");
  EXPECT_EQ(plan(6), "recv 4 [0,16) ch0; send 7 [0,16) ch0 after 0");
  EXPECT_EQ(plan(7), "recv 6 [0,16) ch0");
}

TEST(BcastPlans, BinomialOfSixFromRootFour) {
  const auto plan = [](int node) { return plan_text("binomial", 6, 4, 3, node); };
  EXPECT_EQ(plan(4), "send 2 [0,3) ch0; send 0 [0,3) ch0; send 5 [0,3) ch0");
  EXPECT_EQ(plan(2), "recv 4 [0,3) ch0; send 3 [0,3) ch0 after 0");
  EXPECT_EQ(plan(0), "recv 4 [0,3) ch0; send 1 [0,3) ch0 after 0");
}

TEST(BcastPlans, ChainOfFourFromRootTwo) {
  const auto plan = [](int node) { return plan_text("chain", 4, 2, 5, node); };
  EXPECT_EQ(plan(2), "send 3 [0,5) ch0");
  EXPECT_EQ(plan(3), "recv 2 [0,5) ch0; send 0 [0,5) ch0 after 0");
  EXPECT_EQ(plan(0), "recv 3 [0,5) ch0; send 1 [0,5) ch0 after 0");
  EXPECT_EQ(plan(1), "recv 0 [0,5) ch0");
}

TEST(BcastPlans, BinaryOfSix) {
  const auto plan = [](int node) { return plan_text("binary", 6, 0, 1, node); };
  EXPECT_EQ(plan(0), "send 1 [0,1) ch0; send 2 [0,1) ch0");
  EXPECT_EQ(plan(1), "recv 0 [0,1) ch0; send 3 [0,1) ch0 after 0; send 4 [0,1) ch0 after 0");
  EXPECT_EQ(plan(2), "recv 0 [0,1) ch0; send 5 [0,1) ch0 after 0");
  EXPECT_EQ(plan(5), "recv 2 [0,1) ch0");
}

TEST(BcastPlans, LinearOfThreeFromRootOne) {
  EXPECT_EQ(plan_text("linear", 3, 1, 7, 1), "send 2 [0,7) ch0; send 0 [0,7) ch0");
  EXPECT_EQ(plan_text("linear", 3, 1, 7, 0), "recv 1 [0,7) ch0");
}

TEST(BcastPlans, RdaasOfFour) {
  const auto plan = [](int node) { return plan_text("rdaas", 4, 0, 8, node); };
  EXPECT_EQ(plan(0), "send 2 [4,8) ch0; send 1 [2,4) ch0; send 1 [0,2) ch2; send 2 [0,4) ch1");
  EXPECT_EQ(plan(1),
            "recv 0 [2,4) ch0; recv 0 [0,2) ch2; send 3 [0,4) ch1 after 0,1; recv 3 [4,8) ch1");
  EXPECT_EQ(plan(2),
            "recv 0 [4,8) ch0; send 3 [6,8) ch0 after 0; send 3 [4,6) ch2 after 0; "
            "recv 0 [0,4) ch1");
  EXPECT_EQ(plan(3),
            "recv 2 [6,8) ch0; recv 2 [4,6) ch2; send 1 [4,8) ch1 after 0,1; recv 1 [0,4) ch1");
}

TEST(BcastPlans, RdaasOfThreeGivesTheOddNodeItsBlock) {
  const auto plan = [](int node) { return plan_text("rdaas", 3, 0, 3, node); };
  EXPECT_EQ(plan(0), "send 2 [2,3) ch0; send 1 [1,2) ch0; send 1 [0,1) ch2; send 2 [0,2) ch1");
  EXPECT_EQ(plan(1), "recv 0 [1,2) ch0; recv 0 [0,1) ch2; recv 2 [2,3) ch1");
  EXPECT_EQ(plan(2), "recv 0 [2,3) ch0; send 1 [2,3) ch1 after 0; recv 0 [0,2) ch1");
}

TEST(BcastPlans, RingOfFour) {
  const auto plan = [](int node) { return plan_text("ring", 4, 0, 8, node); };
  EXPECT_EQ(plan(0),
            "send 2 [4,8) ch0; send 1 [2,4) ch0; send 1 [0,2) ch1; send 1 [6,8) ch2; "
            "send 1 [4,6) ch3");
  EXPECT_EQ(plan(1),
            "recv 0 [2,4) ch0; send 2 [2,4) ch1 after 0; recv 0 [0,2) ch1; "
            "send 2 [0,2) ch2 after 2; recv 0 [6,8) ch2; recv 0 [4,6) ch3");
  EXPECT_EQ(plan(2),
            "recv 0 [4,8) ch0; send 3 [6,8) ch0 after 0; send 3 [4,6) ch1 after 0; "
            "recv 1 [2,4) ch1; send 3 [2,4) ch2 after 3; recv 1 [0,2) ch2; "
            "send 3 [0,2) ch3 after 5");
  EXPECT_EQ(plan(3), "recv 2 [6,8) ch0; recv 2 [4,6) ch1; recv 2 [2,4) ch2; recv 2 [0,2) ch3");
}

TEST(BcastPlans, OneNodeOrNoBytesNeedNothing) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::kBcast) continue;
    EXPECT_EQ(plan_text(algorithm.name, 1, 0, 100, 0), "") << algorithm.name;
    for (int node = 0; node < 5; ++node) {
      EXPECT_EQ(plan_text(algorithm.name, 5, 2, 0, node), "") << algorithm.name;
    }
  }
}

TEST(BcastPlans, BlocksAreCutAtTheGranule) {
  const Algorithm* ring = find_algorithm(Collective::kBcast, "ring");
  const Plan plan = ring->make_plan(
      {.shape = Shape::line(3), .root_node = 0, .bytes = 20, .node = 0, .granule_bytes = 8});
  EXPECT_EQ(text_of(plan),
            "send 2 [16,20) ch0; send 1 [8,16) ch0; send 1 [0,8) ch1; send 1 [16,20) ch2");
}

TEST(BcastPlans, TreePlansAreMadeWithoutLookingAtAllNodes) {
  constexpr int kNodes = 82'944;
  for (const char* name : {"chain", "binary", "binomial", "rdaas"}) {
    const Algorithm* algorithm = find_algorithm(Collective::kBcast, name);
    for (int node : {0, 1, 41'471, 82'943}) {
      const Plan plan = algorithm->make_plan(
          {.shape = Shape::line(kNodes), .root_node = 5, .bytes = 1 << 24, .node = node});
      EXPECT_LE(plan.ops.size(), 3u * 17u) << name;
    }
  }
}

TEST(Registry, NamesAndRows) {
  EXPECT_EQ(find_algorithm(Collective::kBcast, "nonsense"), nullptr);
  EXPECT_EQ(algorithm_names(Collective::kBcast),
            "linear|chain|pipeline|binary|splitbinary|binomial|rdaas|ring|trinaryx3|trinaryx6|"
            "bintree3d|bintree6d|bine|bineaas");
  EXPECT_EQ(algorithm_names(Collective::kBcast, ", ").substr(0, 13), "linear, chain");
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_EQ(find_algorithm(algorithm.collective, algorithm.name), &algorithm);
    EXPECT_GT(std::string(algorithm.description).size(), 0u);
    EXPECT_GT(std::string(algorithm.source).size(), 0u);
  }
}

}  // namespace
}  // namespace mpiactor::inter
