// mpiactor-info --explain: the candidates for one collective, their predicted times, and the
// choice.
#ifndef MPIACTOR_TOOLS_INFO_EXPLAIN_H_
#define MPIACTOR_TOOLS_INFO_EXPLAIN_H_

#include <cstdint>
#include <string>

#include "inter/plan.h"
#include "inter/select.h"
#include "inter/tuning.h"

namespace mpiactor::info {

struct Explanation {
  inter::Shape shape;
  std::uint64_t bytes = 0;
  std::vector<inter::Candidate> candidates;  // the fastest first
  inter::Selection selection;
};

// As the runtime would choose with these settings ("auto" or an algorithm; 0 or a segment size).
Explanation explain_bcast(const inter::Shape& shape, std::uint64_t bytes,
                          const std::string& algorithm, std::uint64_t segment_bytes,
                          const inter::Tuning& tuning);

std::string to_text(const Explanation& explanation);
// Keys: collective, shape, bytes, candidates (algorithm, segment_bytes, time_us, note), choice
// (algorithm, segment_bytes, reason).
std::string to_json(const Explanation& explanation);

}  // namespace mpiactor::info

#endif  // MPIACTOR_TOOLS_INFO_EXPLAIN_H_
