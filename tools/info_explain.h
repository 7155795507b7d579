// mpiactor-info --explain: who serves a collective, by its bytes, and why; for those that run plans
// the candidates between nodes, their predicted times, and the choice.
#ifndef MPIACTOR_TOOLS_INFO_EXPLAIN_H_
#define MPIACTOR_TOOLS_INFO_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actor/config/settings.h"
#include "inter/plan.h"
#include "inter/select.h"
#include "inter/tuning.h"

namespace mpiactor::info {

struct Question {
  std::string collective;  // of explained_collectives()
  inter::Shape shape;
  int ranks_per_node = 1;
  bool crowded = false;     // more ranks than cores
  std::uint64_t bytes = 0;  // for the candidates, as in inter/select.h
  Settings settings;
  inter::Tuning tuning;
};

// Calls of least_bytes to up_to_bytes, as MPI's arguments say.
struct Served {
  std::uint64_t least_bytes = 0;
  std::uint64_t up_to_bytes = 0;
  std::string by;      // "library", "direct", "ring", ...
  std::string source;  // "built-in rule, line 7", "table.json, line 3", "MPIACTOR_BCAST", "model"
  std::string why;     // may be empty
  bool is_plan = false;

  bool operator==(const Served&) const = default;
};

// In one collective between nodes.
struct Plans {
  std::vector<inter::Candidate> candidates;  // the fastest first
  inter::Selection selection;
  std::uint64_t pushed_up_to_bytes = 0;  // at most; see push_limit_bytes()
  int most_hops = 0;                     // between any two nodes; 0 where it decides nothing
};

struct Explanation {
  Question question;
  std::vector<Served> served;
  // Reductions: the same where the order of combining changes nothing, if that makes a difference.
  std::vector<Served> served_in_any_order;
  std::optional<Plans> plans;  // where nodes may run some
};

// As the runtime would choose. Throws std::invalid_argument for an unknown collective, or for more
// ranks than an int counts.
Explanation explain(Question question);

// "barrier", "bcast" and so on; the names that --explain takes.
std::vector<std::string> explained_collectives();

std::string to_text(const Explanation& explanation);
// Keys: collective, shape, ranks_per_node, crowded, served and served_in_any_order (from, up_to,
// by, source, why), and, where nodes may run plans: bytes, candidates (algorithm, segment_bytes,
// time_us, note), choice (algorithm, segment_bytes, reason), pushed_up_to_bytes.
std::string to_json(const Explanation& explanation);

}  // namespace mpiactor::info

#endif  // MPIACTOR_TOOLS_INFO_EXPLAIN_H_
