// Broadcasts with recorded arrivals, played under both leader policies.
#ifndef MPIACTOR_SIM_REPLAY_CALLS_H_
#define MPIACTOR_SIM_REPLAY_CALLS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/machine.h"

namespace mpiactor::sim {

// Ranks are numbered node by node, as Layout does.
struct RecordedCall {
  int nodes = 1;
  int ranks_per_node = 1;
  int root_rank = 0;
  std::uint64_t bytes = 0;
  std::string algorithm;              // as the runtime names it; "auto": what it would select
  std::vector<Picoseconds> arrivals;  // per rank
};

struct ReplayedCall {
  std::string algorithm;
  std::uint64_t segment_bytes = 0;
  // Per rank: time in the call beyond what the root's arrival forces on it, us.
  std::vector<double> static_excess_us;
  std::vector<double> competitive_excess_us;
};

// Each call by itself: the rank is taken to arrive when it was recorded to, whatever the calls
// before would have cost. Throws InputError, PlanError.
ReplayedCall replay(const Machine& machine, int candidates, const RecordedCall& call);

// {"machine": NAME, "candidates": C, "calls": [{"nodes", "ranks_per_node", "root", "bytes",
// "algorithm", "arrivals_ns": [...]}, ...]}; `candidates` 0 or absent: min(ranks of a node, 8).
// Returns {"machine": its parameters, "candidates", "calls": [{"algorithm", "segment_bytes",
// "static_excess_us": [...], "competitive_excess_us": [...]}, ...]}. Throws InputError, which names
// the call and the field.
nlohmann::ordered_json replay_document(const nlohmann::json& document);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPLAY_CALLS_H_
