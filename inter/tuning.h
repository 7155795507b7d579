// Tuning tables: which algorithm and segment to use, as measured on a system (tools/mpiactor-tune)
// or written by hand. JSON:
//   { "format": "mpiactor-tuning-1",
//     "link": { "latency_us": 5, "bandwidth_mbps": 5000, "reduce_mbps": 8000, "network": "switch"
//     }, "bcast": [ { "nodes": "2..8", "up_to": "64K", "algorithm": "linear", "segment": "16K" },
//                { "shape": "8x6x8", "algorithm": "trinaryx3" } ],
//     "allreduce": [ ... ] }
// All of it but "format" is optional. "link" is for the cost model (inter/cost_model.h); "network"
// is "switch" or "torus", without it a line of nodes is taken to be on a switch and any other shape
// to be a torus. Rules are for bcast, reduce, allreduce, allgather and alltoall.
//
// The first rule that fits a message is used; where none does, the cost model chooses. A rule needs
// "algorithm"; "nodes" ("4" or "2..8") and "shape" limit where it holds, "up_to" the message's
// bytes (as in inter/select.h), "segment" is chosen by the model where it is absent.
#ifndef MPIACTOR_INTER_TUNING_H_
#define MPIACTOR_INTER_TUNING_H_

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "inter/cost_model.h"
#include "inter/registry.h"

namespace mpiactor::inter {

// Names the table, the place in it, the value, and what is allowed.
class TuningError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct TuningRule {
  std::int64_t least_nodes = 1;
  std::int64_t most_nodes = std::numeric_limits<std::int64_t>::max();
  std::optional<Shape> shape;
  std::uint64_t up_to_bytes = std::numeric_limits<std::uint64_t>::max();
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;  // 0: chosen by the model
};

inline constexpr std::array kTunedCollectives = {Collective::kBcast, Collective::kReduce,
                                                 Collective::kAllreduce, Collective::kAllgather,
                                                 Collective::kAlltoall};

struct Tuning {
  // What a message between two nodes costs where nothing else is known.
  LinkModel link{.latency_us = 5.0, .bandwidth_mbps = 5'000, .reduce_mbps = 8'000};
  std::map<Collective, std::vector<TuningRule>> rules;

  // `name` is used in errors. Throws TuningError.
  static Tuning parse(std::string_view json_text, const std::string& name);
  // nullptr where no rule fits.
  const TuningRule* find(Collective collective, const Shape& shape, std::uint64_t bytes) const;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TUNING_H_
