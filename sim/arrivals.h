// Who enters the call when, and who leads its node.
#ifndef MPIACTOR_SIM_ARRIVALS_H_
#define MPIACTOR_SIM_ARRIVALS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/machine.h"

namespace mpiactor::sim {

enum class LeaderPolicy { kStatic, kCompetitive };

// "static", "competitive". Throws InputError.
LeaderPolicy parse_leader_policy(const std::string& name);

inline constexpr int kMostRanksPerNode = 4096;

// Ranks are numbered node by node.
struct Layout {
  int nodes = 1;
  int ranks_per_node = 1;  // where all nodes have equally many
  // Where they have not: the first rank of every node, and behind the last the number of ranks.
  std::vector<int> first_ranks = {};

  // Of as many ranks on each of `nodes`. Throws InputError where there would be none, or more than
  // an int counts.
  static Layout of(std::int64_t nodes, int ranks_per_node);
  // Of nodes with these numbers of ranks, each at least 1.
  static Layout of(const std::vector<int>& node_ranks);

  int first_rank(int node) const {
    return first_ranks.empty() ? node * ranks_per_node
                               : first_ranks[static_cast<std::size_t>(node)];
  }
  int ranks() const { return first_rank(nodes); }
  int members(int node) const { return first_rank(node + 1) - first_rank(node); }
  int most_members() const;
  int node_of(int rank) const;
};

inline constexpr const char* kArrivalPatterns =
    "together, random, one-late, one-early, ascending, late-leaders, late-node";

// When each rank enters, in [0, skew]:
//   together      all at 0
//   random        uniform in [0, skew]
//   one-late      one rank, drawn by the seed, at skew, all others at 0
//   one-early     one rank, drawn by the seed, at 0, all others at skew
//   ascending     rank r of p at skew * r / (p - 1)
//   late-leaders  the lowest rank of every node at skew, all others at 0
//   late-node     all ranks of one node, drawn by the seed, at skew, all others at 0
// The same seed draws the same everywhere. Throws InputError for an unknown pattern.
std::vector<Picoseconds> make_arrivals(const std::string& pattern, const Layout& layout,
                                       Picoseconds skew, std::uint64_t seed);

// From whom to whom a collective's data go.
enum class Direction { kFromRoot, kToRoot, kAmongAll };

// Per rank: when everybody had come without whom it cannot leave. From a root, the root; to a root,
// the last rank for the root, nobody else for the others; else the last rank.
std::vector<Picoseconds> needed_arrivals(Direction direction, int root_rank,
                                         std::span<const Picoseconds> arrivals);

// Who sends the root's message to other nodes.
enum class RootSender {
  kRoot,  // the root, who leads its node [CP]
  kNode,  // the leader of the root's node, where it is there before the root; else the root
};

// "root", "node". Throws InputError.
RootSender parse_root_sender(const std::string& name);
const char* root_sender_name(RootSender sender);

struct Leaders {
  std::vector<int> ranks;  // per node
  // Per node, when its leader has come, and on the root's node the root.
  std::vector<Picoseconds> arrivals;
};

// Static: the lowest rank of a node; competitive: the first to arrive of `candidates` ranks (all,
// where the node has no more) spread evenly over the node, the lower rank where several arrive at
// once. At least 1 candidate. On the root's node `sender` decides. As in the runtime, the root
// itself is a candidate there, in place of the last where it would be none.
Leaders elect_leaders(const Layout& layout, LeaderPolicy policy, int root_rank, int candidates,
                      std::span<const Picoseconds> arrivals, RootSender sender = RootSender::kRoot);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_ARRIVALS_H_
