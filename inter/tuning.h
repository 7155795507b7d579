// Tables of rules: who serves a collective, as measured on a system (tools/mpiactor-tune) or
// written by hand. The built-in table (inter/rules.json) has the same notation. JSON:
//   { "format": "mpiactor-tuning-1",
//     "link": { "latency_us": 5, "bandwidth_mbps": 5000, "reduce_mbps": 8000, "network": "switch"
//     }, "bcast": [ { "nodes": "2..8", "up_to": "64K", "algorithm": "linear", "segment": "16K" },
//                { "shape": "8x6x8", "algorithm": "trinaryx3" } ],
//     "alltoall": [ { "ranks": 1, "algorithm": "library" } ] }
// All of it but "format" is optional. "link" is for the cost model (inter/cost_model.h); "network"
// is "switch" or "torus", without it a line of nodes is taken to be on a switch and any other shape
// to be a torus. A list of rules is possible for each Call. docs/usage.md describes the keys.
//
// The first rule that fits a call, and that can be done there, is used. Those of the built-in table
// come behind a file's own.
#ifndef MPIACTOR_INTER_TUNING_H_
#define MPIACTOR_INTER_TUNING_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "inter/calls.h"
#include "inter/cost_model.h"
#include "inter/registry.h"

namespace mpiactor::inter {

// Names the table, the line, the place in it, the value, and what is allowed.
class TuningError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Rule {
  struct Range {
    std::int64_t least = 1;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    bool has(std::int64_t value) const { return least <= value && value <= most; }
    bool operator==(const Range&) const = default;
  };
  // What bytes are counted of.
  enum class Measure {
    kCall,     // as MPI's arguments say: the message, the vector, one rank's block
    kMessage,  // what a node gives the others (alltoall: each other one)
    kBuffer,   // the blocks of all ranks together
    kBuffers,  // the same, of all ranks' buffers
  };

  Range nodes{};
  Range ranks{};  // of the largest node
  std::optional<bool> crowded{};
  std::optional<bool> never_worse{};
  std::optional<Shape> shape{};
  std::optional<NetworkKind> network{};
  Measure of = Measure::kCall;
  std::uint64_t least_bytes = 0;
  std::uint64_t up_to_bytes = std::numeric_limits<std::uint64_t>::max();
  bool blocking = false;    // library: of blocking calls alone
  bool by_arrival = false;  // a reduction whose order does not matter
  Way way = Way::kPlan;
  const Algorithm* algorithm = nullptr;  // kPlan: nullptr for the model's fastest
  std::uint64_t segment_bytes = 0;       // kPlan: 0 for the model's
  std::string why{};
  int line = 0;  // of its table
  bool is_built_in = false;

  bool operator==(const Rule&) const = default;
  // What it says runs: "library", "ring", "auto".
  const char* name() const { return algorithm ? algorithm->name : way_name(way); }
};

struct Tuning {
  // What a message between two nodes costs where nothing else is known.
  LinkModel link{.latency_us = 5.0, .bandwidth_mbps = 5'000, .reduce_mbps = 8'000};
  std::array<std::vector<Rule>, kCalls> rules;  // a file's own

  // `name` is used in errors. Throws TuningError.
  static Tuning parse(std::string_view json_text, const std::string& name);

  std::span<const Rule> own(Call call) const { return rules[static_cast<std::size_t>(call)]; }
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TUNING_H_
