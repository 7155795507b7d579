// When each rank enters a broadcast: the delays that make arrival unbalanced.
#ifndef MPIACTOR_BENCH_ARRIVAL_PATTERN_H_
#define MPIACTOR_BENCH_ARRIVAL_PATTERN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/node_map.h"

namespace mpiactor::bench {

enum class Pattern {
  kRandom,       // every rank uniformly in [0, skew], as in [CP] Fig. 11
  kOneLate,      // one rank by the whole skew, the others at once
  kOneEarly,     // one rank at once, the others by the whole skew
  kAscending,    // rank r by r/(ranks-1) of the skew
  kLateLeaders,  // the lowest rank of every node by the whole skew, the others at once
  kLateNode,     // all ranks of one node by the whole skew, the others at once
};

// Every pattern's name on the command line, in the order of the enumeration.
const std::vector<std::string>& pattern_names();

std::string_view pattern_name(Pattern pattern);

// Throws std::invalid_argument naming `name` and the names there are.
Pattern parse_pattern(std::string_view name);

// The rank that kOneLate and kOneEarly single out.
struct SingledOut {
  enum class Kind { kRotate, kRoot, kRank };  // every non-root rank in turn; the root; `rank`
  Kind kind = Kind::kRotate;
  int rank = 0;
};

// Reads "rotate", "root" or a rank below `ranks`; throws std::invalid_argument otherwise.
SingledOut parse_singled_out(std::string_view text, int ranks);

struct ArrivalPlan {
  Pattern pattern = Pattern::kRandom;
  std::int64_t skew_ns = 0;
  std::uint64_t seed = 1;
  SingledOut singled_out;
  NodeMap nodes;  // one entry for each rank
};

// "random, skew 20 ms", or that all come together.
std::string arrivals_text(const ArrivalPlan& plan);

// Delay of every rank after the common start, in nanoseconds within [0, skew]. A pure function of
// its arguments, so that every rank knows all delays without a message. `repetition` counts from 0.
std::vector<std::int64_t> arrival_delays_ns(const ArrivalPlan& plan, std::int64_t repetition,
                                            int root);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_ARRIVAL_PATTERN_H_
