#include "bench/node_map.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace mpiactor::bench {
namespace {

TEST(NodeMap, EqualBlocksPutTheRemainderFirst) {
  EXPECT_EQ(parse_node_layout("2", 4), (NodeMap{0, 0, 1, 1}));
  EXPECT_EQ(parse_node_layout("4", 6), (NodeMap{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(parse_node_layout("1", 3), (NodeMap{0, 0, 0}));
}

TEST(NodeMap, RanksPerNodeMayLeaveASmallerLastNode) {
  EXPECT_EQ(parse_node_layout("ppn:2", 5), (NodeMap{0, 0, 1, 1, 2}));
  EXPECT_EQ(parse_node_layout("ppn:8", 3), (NodeMap{0, 0, 0}));
}

TEST(NodeMap, CyclicDealsOut) {
  EXPECT_EQ(parse_node_layout("cyclic:3", 5), (NodeMap{0, 1, 2, 0, 1}));
}

TEST(NodeMap, ListsAreNumberedByLowestRank) {
  EXPECT_EQ(parse_node_layout("7,7,2,7", 4), (NodeMap{0, 0, 1, 0}));
}

TEST(NodeMap, RefusesLayoutsThatDoNotFit) {
  for (const char* layout : {"", "0", "5", "-1", "x", "ppn:", "ppn:0", "cyclic:5", "cyclic:x",
                             "0,0,1", "0,0,1,1,1", "0,,1,1", "0,-1,1,1", "2 "}) {
    try {
      parse_node_layout(layout, 4);
      ADD_FAILURE() << "accepted '" << layout << "'";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'" + std::string(layout) + "'"), std::string::npos);
    }
  }
}

TEST(NodeMap, CountsNodesAndFindsLowestMembers) {
  const NodeMap nodes = {0, 1, 0, 1, 2};
  EXPECT_EQ(node_count(nodes), 3);
  EXPECT_TRUE(is_lowest_of_node(nodes, 0));
  EXPECT_TRUE(is_lowest_of_node(nodes, 1));
  EXPECT_FALSE(is_lowest_of_node(nodes, 2));
  EXPECT_FALSE(is_lowest_of_node(nodes, 3));
  EXPECT_TRUE(is_lowest_of_node(nodes, 4));
}

}  // namespace
}  // namespace mpiactor::bench
