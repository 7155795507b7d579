// Times of the registered reduces, allreduces, allgathers and alltoalls, for selection; formulas as
// in docs/algorithms.md. Units as in cost_model.h; nothing for an unknown name. `link.reduce_mbps`
// is the rate C at which a node combines.
#ifndef MPIACTOR_INTER_COLLECTIVE_COST_H_
#define MPIACTOR_INTER_COLLECTIVE_COST_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "inter/cost_model.h"
#include "inter/plan.h"

namespace mpiactor::inter {

// Where reductions go step by step, in k segments of x bytes each, a step of k x = X bytes takes
//   S(X) = max(X/B, X/C, k (L + x/B) / min(window, k), L + x/B + x/C),
// that is L + X/B + X/C uncut: the segments of one step overlap those of the next.

// `bytes` of the vector. Chain: (N - 2 + M/m)(L + m/B + m/C); binomial: log N S(M); Rabenseifner:
// 2 log N L + (1 - 1/N)(2 M/B + M/C), and S(M) more to fold in the nodes beyond a power of two;
// Trinaryx3: [K-perf] t_R.
std::optional<double> reduce_us(std::string_view algorithm, const Shape& shape, std::uint64_t bytes,
                                std::uint64_t segment_bytes, const LinkModel& link);

// `bytes` of the vector. Recursive doubling: log N S(M); Rabenseifner as for reduce; ring:
// (N - 1) S(M/N), and as much without C; Trinaryx3: [K-perf] t_R + t_B. Where N is not a power of
// two, the first two fold the nodes beyond it in and out: S(M), and as much without C.
std::optional<double> allreduce_us(std::string_view algorithm, const Shape& shape,
                                   std::uint64_t bytes, std::uint64_t segment_bytes,
                                   const LinkModel& link);

// `bytes` of one node's block b. Bruck: log N L + (N - 1) b/B; recursive doubling likewise where N
// is a power of two, else with up to twice as many blocks; ring: (N - 1)(L + b/B); multi-ring:
// (N - 1)(L + b/B/links) over up to four links. The first two know no torus: they share its links.
std::optional<double> allgather_us(std::string_view algorithm, const Shape& shape,
                                   std::uint64_t bytes, const LinkModel& link);

// `bytes` of the block b that a node gives each other one. Linear: L + (N - 1)(o + b/B), o =
// kMessageOverheadUs; pairwise: (N - 1)(L + b/B); Bruck: log N (L + N/2 b/B); doublespread: the
// nodes beyond spread over the links of a node (one on a switch), (N - 1)/links (L + b/B). On a
// torus of extents n none is quicker than its busiest link, over which max(n) N/8 blocks go.
inline constexpr double kMessageOverheadUs = 0.18;  // [K-MPI] 1.27 us of MPI less 0.91 us, halved
std::optional<double> alltoall_us(std::string_view algorithm, const Shape& shape,
                                  std::uint64_t bytes, const LinkModel& link);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_COLLECTIVE_COST_H_
