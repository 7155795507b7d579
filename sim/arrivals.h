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

// The ranks of node k are k * ranks_per_node and the following ones.
struct Layout {
  int nodes = 1;
  int ranks_per_node = 1;

  int ranks() const { return nodes * ranks_per_node; }
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

struct Leaders {
  std::vector<int> ranks;             // per node
  std::vector<Picoseconds> arrivals;  // per node, of its leader
};

// The root leads its node [CP]. Elsewhere: static, the lowest rank of the node; competitive, the
// first to arrive of `candidates` ranks spread evenly over the node, the lower rank where several
// arrive at once. 1 <= candidates <= ranks_per_node.
Leaders elect_leaders(const Layout& layout, LeaderPolicy policy, int root_rank, int candidates,
                      std::span<const Picoseconds> arrivals);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_ARRIVALS_H_
