// Pretended nodes: MPIACTOR_NODES.
#ifndef MPIACTOR_ACTOR_CONFIG_NODE_SPEC_H_
#define MPIACTOR_ACTOR_CONFIG_NODE_SPEC_H_

#include <string>
#include <string_view>
#include <vector>

namespace mpiactor {

// "4 (equal blocks) | ppn:2 | cyclic:4 | 0,0,1,... (node of each rank)"
const char* node_spec_syntax();

// Throws std::invalid_argument with the reason where `spec` is malformed (empty is fine).
void check_node_spec(std::string_view spec);

// Node number of each of `ranks` ranks; all 0 for an empty spec. Throws std::invalid_argument
// where the spec does not fit the number of ranks.
//   "4"        four blocks of consecutive ranks; the first ranks % 4 blocks hold one more
//   "ppn:2"    blocks of two consecutive ranks; the last may be smaller
//   "cyclic:4" rank r on node r % 4
//   "0,0,1,0"  as listed, one number a rank
std::vector<int> nodes_of_ranks(std::string_view spec, int ranks);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONFIG_NODE_SPEC_H_
