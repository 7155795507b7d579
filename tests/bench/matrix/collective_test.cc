#include "bench/matrix/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace mpiactor::bench {
namespace {

TEST(Collectives, AreThoseOfTheRuntime) {
  std::set<std::string> names;
  for (const Collective& row : collectives()) names.insert(row.name);
  const std::set<std::string> expected = {
      "barrier",         "bcast",          "reduce",
      "allreduce",       "reduce_scatter", "reduce_scatter_block",
      "allgather",       "gather",         "gatherv",
      "scatter",         "scatterv",       "alltoall",
      "allgatherv",      "alltoallv",      "ibarrier",
      "ibcast",          "ireduce",        "iallreduce",
      "ireduce_scatter", "iallgather",     "igather",
      "iscatter",        "ialltoall"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(collectives().size(), expected.size());
}

TEST(ParseCollectives, KeepsTheGivenOrder) {
  const auto chosen = parse_collectives("gather,barrier");
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_STREQ(chosen[0]->name, "gather");
  EXPECT_STREQ(chosen[1]->name, "barrier");
  EXPECT_EQ(parse_collectives("all").size(), collectives().size());
}

void expect_refused(const char* list, const char* message) {
  try {
    parse_collectives(list);
    ADD_FAILURE() << list << " was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
  }
}

TEST(ParseCollectives, NamesWhatIsWrong) {
  expect_refused("bcast,scan", "'scan' is not a collective: choose from all, barrier, bcast");
  expect_refused("bcast,bcast", "'bcast' is given twice");
  expect_refused("", "'' is not a collective");
}

}  // namespace
}  // namespace mpiactor::bench
