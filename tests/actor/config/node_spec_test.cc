#include "actor/config/node_spec.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mpiactor {
namespace {

using Nodes = std::vector<int>;

TEST(NodeSpec, Forms) {
  EXPECT_EQ(nodes_of_ranks("", 3), (Nodes{0, 0, 0}));
  EXPECT_EQ(nodes_of_ranks("4", 8), (Nodes{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(nodes_of_ranks("3", 8), (Nodes{0, 0, 0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(nodes_of_ranks("1", 2), (Nodes{0, 0}));
  EXPECT_EQ(nodes_of_ranks("ppn:3", 7), (Nodes{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(nodes_of_ranks("cyclic:3", 7), (Nodes{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(nodes_of_ranks("0,0,2,0", 4), (Nodes{0, 0, 2, 0}));
}

TEST(NodeSpec, BlocksDifferByOneAtMost) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    for (int blocks = 1; blocks <= ranks; ++blocks) {
      std::vector<int> count(static_cast<std::size_t>(blocks), 0);
      int last = 0;
      for (const int node : nodes_of_ranks(std::to_string(blocks), ranks)) {
        ASSERT_TRUE(node == last || node == last + 1);
        last = node;
        ++count[static_cast<std::size_t>(node)];
      }
      for (const int members : count) {
        ASSERT_GE(members, ranks / blocks);
        ASSERT_LE(members, ranks / blocks + 1);
      }
    }
  }
}

TEST(NodeSpec, ErrorsSayWhy) {
  for (const char* spec :
       {"0", "-2", "four", "ppn:0", "ppn:", "cyclic:x", "0,,1", "0,1,", "0,-1", "4x"}) {
    EXPECT_THROW(check_node_spec(spec), std::invalid_argument) << spec;
  }
  EXPECT_THROW(nodes_of_ranks("5", 4), std::invalid_argument);
  EXPECT_THROW(nodes_of_ranks("cyclic:5", 4), std::invalid_argument);
  EXPECT_THROW(nodes_of_ranks("0,1", 3), std::invalid_argument);
}

}  // namespace
}  // namespace mpiactor
