// Which node each rank is on, as the arrival patterns 'late-leaders' and 'late-node' see it.
#ifndef MPIACTOR_BENCH_NODE_MAP_H_
#define MPIACTOR_BENCH_NODE_MAP_H_

#include <string_view>
#include <vector>

namespace mpiactor::bench {

// Node of every rank; nodes are numbered 0, 1, ... in the order of their lowest ranks.
using NodeMap = std::vector<int>;

// Node map of `ranks` ranks by a layout: "4" = four blocks, the first ranks % 4 of them one rank
// larger, "ppn:2" = blocks of two ranks, "cyclic:4" = dealt out to four nodes in turn, "0,0,1" =
// the node of each rank.
// Throws std::invalid_argument naming the layout and what is allowed.
NodeMap parse_node_layout(std::string_view layout, int ranks);

// Renumbers arbitrary node labels to 0, 1, ... in the order of their lowest ranks.
NodeMap number_nodes(const std::vector<int>& labels);

int node_count(const NodeMap& nodes);

// Whether `rank` is the lowest rank of its node: where leaders are fixed, the leader.
bool is_lowest_of_node(const NodeMap& nodes, int rank);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_NODE_MAP_H_
