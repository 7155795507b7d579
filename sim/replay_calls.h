// Collectives with recorded arrivals, played under both leader policies.
#ifndef MPIACTOR_SIM_REPLAY_CALLS_H_
#define MPIACTOR_SIM_REPLAY_CALLS_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/machine.h"
#include "sim/recorded_call.h"

namespace mpiactor::sim {

struct ReplayedCall {
  struct Policy {
    std::string algorithm;
    std::uint64_t segment_bytes = 0;
    // Per rank: time in the call beyond what the arrivals that it needs force on it, us.
    std::vector<double> excess_us;
  };
  Policy of_static;
  Policy of_competitive;
};

// Each call by itself: the rank is taken to arrive when it was recorded to, whatever the calls
// before would have cost. Throws InputError, PlanError.
ReplayedCall replay(const Machine& machine, int candidates, const RecordedCall& call);

// {"machine": NAME, "candidates": C, "calls": [{"operation": "MPI_Reduce", "node_ranks": [3, 1],
// "root", "bytes", "algorithm", "arrivals_ns": [...], "hybrid", "leader"}, ...]}. Ranks are
// numbered node by node, bytes are as in RecordedCall; `candidates` 0 or absent: min(ranks of a
// node, 8); "operation" absent: a broadcast; no "root" where there is none; instead of "node_ranks"
// also "nodes" and "ranks_per_node"; instead of "bytes" in an allgatherv, gatherv or scatterv
// "blocks", a number for each rank; "hybrid" (true: the runtime handled the call) and "leader"
// (what was set) absent: not known.
// Returns {"machine": its parameters, "candidates", "reasons": {reason: text}, "calls": [{"static":
// {"algorithm", "segment_bytes", "excess_us": [...]}, "competitive": the same}, or {"left_out":
// reason}, ...]}. Throws InputError, which names the call and the field.
nlohmann::ordered_json replay_document(const nlohmann::json& document);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPLAY_CALLS_H_
