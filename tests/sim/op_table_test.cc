#include "sim/op_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

std::vector<OpId> list(std::span<const OpId> ids) { return {ids.begin(), ids.end()}; }

std::vector<OpId> list(const OpTable::Dependents& dependents) {
  std::vector<OpId> ids;
  for (std::uint32_t k = 0; k < dependents.size(); ++k) ids.push_back(dependents[k]);
  return ids;
}

TEST(OpTable, WaitsAndDependentsMirrorEachOther) {
  OpTable table(3, 1000);
  inter::Plan plan;
  const std::uint32_t first = plan.add(receive_from(0, 2500));
  const std::uint32_t second = plan.add(receive_from(2, 500, 1));
  plan.add(send_to(0, 2500, 2), {first});
  plan.add(send_to(2, 2500, 3), {first, second});
  table.add_node(0, {});  // numbers of node 1 then start at 0 as well
  table.add_node(1, plan);
  EXPECT_EQ(table.op_count(0), 0u);
  EXPECT_EQ(list(table.dependents(0)), (std::vector<OpId>{2, 3}));
  EXPECT_EQ(list(table.dependents(1)), (std::vector<OpId>{3}));
  EXPECT_EQ(list(table.dependents(2)), (std::vector<OpId>{}));
  EXPECT_EQ(list(table.dependents(3)), (std::vector<OpId>{}));
  EXPECT_EQ(list(table.waits(3)), (std::vector<OpId>{0, 1}));
  EXPECT_EQ(table.op(2).follows, 0u) << "one wait over the same bytes";
  EXPECT_EQ(table.op(3).follows, kNone);
  EXPECT_EQ(table.op(0).segments, 3u);
  EXPECT_EQ(table.bytes_of_last_segment(0), 500u);
}

// They are kept in another form when they lie side by side.
TEST(OpTable, DependentsWithGapsBeforeOrTwice) {
  OpTable table(2, 1000);
  inter::Plan plan;
  plan.ops.resize(6, send_to(0, 1000));
  const auto wait = [&](std::uint32_t op, std::vector<std::uint32_t> waits) {
    plan.ops[op].waits_begin = static_cast<std::uint32_t>(plan.waits.size());
    plan.waits.insert(plan.waits.end(), waits.begin(), waits.end());
    plan.ops[op].waits_end = static_cast<std::uint32_t>(plan.waits.size());
  };
  wait(0, {4});
  wait(1, {0, 0});
  wait(3, {0, 2});
  wait(5, {2});
  table.add_node(1, plan);
  EXPECT_EQ(list(table.dependents(0)), (std::vector<OpId>{1, 1, 3}));
  EXPECT_EQ(list(table.dependents(1)), (std::vector<OpId>{}));
  EXPECT_EQ(list(table.dependents(2)), (std::vector<OpId>{3, 5}));
  EXPECT_EQ(list(table.dependents(4)), (std::vector<OpId>{0}));
}

TEST(OpTable, SatisfiedComparesBytesNotSegmentNumbers) {
  OpTable table(3, 1000);
  inter::Plan plan;
  const std::uint32_t middle = plan.add(receive_from(0, 2000, 0, 1500));  // 1500 to 3500
  plan.add(send_to(2, 5000), {middle});
  table.add_node(1, plan);
  EXPECT_TRUE(table.satisfied(1, 0, 0)) << "bytes 0 to 1000 are not waited for";
  EXPECT_FALSE(table.satisfied(1, 1, 0)) << "1500 to 2000 are";
  table.op(0).done = 1;  // up to 2500
  EXPECT_TRUE(table.satisfied(1, 1, 0));
  EXPECT_FALSE(table.satisfied(1, 2, 0));
  EXPECT_TRUE(table.satisfied(1, 4, 0));
  table.op(0).done = 2;
  EXPECT_TRUE(table.satisfied(1, 3, 0));
}

}  // namespace
}  // namespace mpiactor::sim
