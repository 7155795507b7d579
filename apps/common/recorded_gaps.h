// What a program computed between its collectives, out of a trace that MPIACTOR_TRACE recorded.
#ifndef MPIACTOR_APPS_COMMON_RECORDED_GAPS_H_
#define MPIACTOR_APPS_COMMON_RECORDED_GAPS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace mpiactor::apps {

// Rank by rank, in the order of its calls: ns from leaving a collective to entering the next, of
// whatever kind; 0 where calls overlap. `file` is a complete trace of `ranks` ranks
// (docs/tracing.md). Throws std::runtime_error that names what is wrong, also where a rank
// has fewer than two calls, which have no gap.
std::vector<std::vector<std::int64_t>> read_recorded_gaps(const std::string& file, int ranks);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_RECORDED_GAPS_H_
