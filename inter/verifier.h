// Checks plans: what the engine and the simulator take for granted is proved here, for the plans of
// all nodes of one collective together.
//
// An error-free report means:
//   - every operation is well formed (peer, bytes, channel, waits on earlier operations only);
//   - sends and receives match one by one: peers, channel, byte range; what a node receives on one
//     channel comes from one peer;
//   - all plans have the layout that they need, and where each node counts in buffers of its own,
//   an
//     operation keeps to the block of its peer;
//   - no data race: of two operations of a node that touch the same byte, one of them writing, one
//     waits for the other, so that no lucky timing is needed; and a send has waited for the
//     operations that supply its bytes;
//   - under a random interleaving (rendezvous, `segments_in_flight` segments an operation)
//   everything
//     ends, and every byte ends where it belongs, having been received exactly once (in an alltoall
//     by distance: the right byte is there); in reductions every contribution is in it once, and
//     allreduce combines in the same order on all nodes.
#ifndef MPIACTOR_INTER_VERIFIER_H_
#define MPIACTOR_INTER_VERIFIER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inter/plan.h"
#include "inter/registry.h"

namespace mpiactor::inter {

struct Scenario {
  Collective collective = Collective::kBcast;
  Shape shape;
  int root_node = 0;
  std::uint64_t bytes = 0;
  std::uint64_t segment_bytes = 1;       // at least 1
  std::uint64_t seed = 0;                // of the interleaving
  int segments_in_flight = 2;            // per operation, at least 1
  std::uint64_t granule_bytes = 1;       // see PlanInput
  bool combines_in_node_order = false;   // see Algorithm; verify_algorithm() sets it
  std::vector<std::uint64_t> cuts = {};  // see PlanInput
  // Alltoall with blocks of different sizes: what node i gives node j, at [i * nodes + j]; `bytes`
  // is ignored. Every node's blocks lie behind one another, in the order of the other nodes. Empty:
  // equal blocks.
  std::vector<std::uint64_t> sizes = {};
};

// Use of the shape's directed links by dimension-ordered routes (inter/routes.h).
struct LinkUse {
  int max_streams = 0;          // distinct streams over one link
  int max_transfers = 0;        // operations over one link
  std::uint64_t max_bytes = 0;  // over one link
  std::int64_t links_used = 0;

  // No directed link carries two streams, nor two operations of one stream.
  bool disjoint() const { return max_transfers <= 1; }
};

struct VerifyReport {
  std::string error;  // empty: all is well
  // Longest chain of transfers of which each waits for the one before: the tree's depth.
  int depth = 0;
  // Steps when every transfer takes one step and a node sends one operation at a time and receives
  // one at a time, in plan order; 0 where no such order ends.
  int rounds = 0;
  std::uint64_t max_sent_bytes = 0;  // by one node
  std::uint64_t max_received_bytes = 0;
  std::size_t max_ops = 0;  // of one node
  int streams = 0;          // distinct stream numbers
  LinkUse links;

  bool ok() const { return error.empty(); }
};

// `plans[i]` is node i's. For tests with plans of their own.
VerifyReport verify_plans(std::span<const Plan> plans, const Scenario& scenario);

// Builds all nodes' plans and verifies them; the collective is the algorithm's. The error names
// algorithm and scenario.
VerifyReport verify_algorithm(const Algorithm& algorithm, const Scenario& scenario);

// "8x6x8 root 3, 4096 bytes, segments of 512, seed 7"
std::string describe(const Scenario& scenario);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_VERIFIER_H_
