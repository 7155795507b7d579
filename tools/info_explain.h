// mpiactor-info --explain: the candidates for one collective, their predicted times, and the
// choice.
#ifndef MPIACTOR_TOOLS_INFO_EXPLAIN_H_
#define MPIACTOR_TOOLS_INFO_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "inter/plan.h"
#include "inter/select.h"
#include "inter/tuning.h"

namespace mpiactor::info {

struct Explanation {
  inter::Collective collective = inter::Collective::kBcast;
  inter::Shape shape;
  std::uint64_t bytes = 0;
  std::vector<inter::Candidate> candidates;  // the fastest first
  inter::Selection selection;
  int most_hops = 0;  // between any two nodes
};

// As the runtime would choose with these settings ("auto" or an algorithm; 0 or a segment size).
// `bytes` as in inter/select.h.
Explanation explain(inter::Collective collective, const inter::Shape& shape, std::uint64_t bytes,
                    const std::string& algorithm, std::uint64_t segment_bytes,
                    const inter::Tuning& tuning);

// "bcast" and so on; the names that --explain takes.
std::vector<std::string> explained_collectives();
// Of one of these names; std::invalid_argument for another.
inter::Collective collective_of(const std::string& name);

std::string to_text(const Explanation& explanation);
// Keys: collective, shape, bytes, candidates (algorithm, segment_bytes, time_us, note), choice
// (algorithm, segment_bytes, reason), pushed_up_to_bytes ("1 hop", "N hops").
std::string to_json(const Explanation& explanation);

}  // namespace mpiactor::info

#endif  // MPIACTOR_TOOLS_INFO_EXPLAIN_H_
