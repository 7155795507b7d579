// A recorded collective, played under either leader policy as the runtime does it: who talks to
// other nodes, from when on, and when every rank leaves.
#ifndef MPIACTOR_SIM_RECORDED_CALL_H_
#define MPIACTOR_SIM_RECORDED_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "inter/tuning.h"
#include "sim/arrivals.h"
#include "sim/machine.h"

namespace mpiactor::sim {

// Those that the runtime takes over; which of them are played, and why others are not, says
// left_out.h.
enum class RecordedOperation {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kAllgather,
  kAllgatherv,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAlltoall,
  kAlltoallv,
  kOther,  // any that the model does not know
};

// "MPI_Bcast", ...
RecordedOperation operation_named(const std::string& name);
Direction direction_of(RecordedOperation operation);
bool has_root(RecordedOperation operation);
// Whether ranks give or take blocks of different sizes, which are recorded.
bool has_blocks(RecordedOperation operation);

// Ranks are numbered node by node, as Layout does.
struct RecordedCall {
  RecordedOperation operation = RecordedOperation::kBcast;
  std::vector<int> node_ranks;  // ranks of every node
  int root_rank = 0;            // where there is one
  // Broadcast and reductions: the whole vector; others: what one rank gives or takes (alltoall:
  // each rank each); barrier: 0.
  std::uint64_t bytes = 0;
  // Allgatherv, gatherv, scatterv: what each rank gives or takes; `bytes` does not matter then.
  std::vector<std::uint64_t> blocks = {};
  // Between nodes, as the runtime names it; "auto": what it would select. Counts for broadcasts,
  // and for allgathers, alltoalls and allreduces where fixed leaders run plans; the others are
  // "direct".
  std::string algorithm = "auto";
  std::vector<Picoseconds> arrivals;  // per rank
  // The run that was recorded: whether the runtime handled the call, and the leader policy that was
  // set; empty: not known.
  bool was_hybrid = false;
  std::string leader_setting = {};

  Layout layout() const { return Layout::of(node_ranks); }
  std::uint64_t block(int rank) const {
    return blocks.empty() ? bytes : blocks[static_cast<std::size_t>(rank)];
  }
};

// What the built-in rules say of it, with competitive leaders and a core for each rank. `may_pass`:
// whether they may leave it to the MPI library. Not of kOther.
inter::Way way_of(const RecordedCall& call, bool may_pass);

struct PlayedCall {
  std::string algorithm;
  std::uint64_t segment_bytes = 0;
  std::vector<Picoseconds> exits;  // per rank
};

// What each policy means:
// - Broadcast, scatter: the leader of a node (Leaders) takes what comes from the root. In a
//   broadcast who waits for the root sends for it (RootSender::kNode).
// - Gather, gatherv, reduce: a node's part is sent when its last rank has come and laid its data
//   down. Static: by its lowest rank, which has to stay for that; competitive: by that last rank
//   itself. All others go on when their data lie in staging. Gatherv: blocks that travel alone
//   (inter/ways.h) are sent by their owners under both.
// - Allgather(v), alltoall: every rank stays until everything is there. Static: the lowest rank,
//   the fixed leader, runs the selected plan when its node is complete. Competitive: it receives
//   from its own arrival on; what the node gives is sent when its last rank has come, by that rank,
//   or by the fixed leader where it has waited for a while only (inter::kLeaderPatienceUs).
// - Barrier, short allreduces: nodes send each other their vectors in one round, fixed leaders
//   receive from their arrival on. Static: they send, competitive: the last to arrive. Longer
//   allreduces, reduce-scatters of equal blocks: static: they run the selected plan, or exchange
//   shares, when their nodes are complete; competitive: each node combines a share of the vector
//   for all, what a node gives being sent by whoever completes it.
// For calls that are not left out. Throws InputError, PlanError.
PlayedCall play(const Machine& machine, const RecordedCall& call, LeaderPolicy policy,
                int candidates);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_RECORDED_CALL_H_
