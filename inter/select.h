// Which algorithm and segment size a collective uses between nodes. Everything here depends on its
// arguments alone, so every rank selects the same.
#ifndef MPIACTOR_INTER_SELECT_H_
#define MPIACTOR_INTER_SELECT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "inter/cost_model.h"
#include "inter/plan.h"
#include "inter/registry.h"
#include "inter/rules.h"
#include "inter/tuning.h"

namespace mpiactor::inter {

// An algorithm with its best segment, and what the model says it takes.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;
  double time_us = 0;
};

// All algorithms that can run on the shape, the fastest by the model first. `bytes` as MPI counts
// them: broadcast, reduce, allreduce: the vector; allgather: what one node gives; alltoall: what a
// node gives each node.
std::vector<Candidate> candidates(Collective collective, const Shape& shape, std::uint64_t bytes,
                                  const LinkModel& link);

struct Selection {
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;
  const char* reason = "";     // "setting", "tuning table", "built-in rule", "model"
  const Rule* rule = nullptr;  // of the second and the third
};

// `name`: a registered algorithm or "auto"; `segment_bytes`: 0 for the best one. `bytes` as above.
// "auto" takes the rule that fits (find_plan_rule()), else the model's fastest.
//
// On up to kStarNodes the root of a broadcast mostly sends to all itself; segments are chosen for
// that.
inline constexpr std::int64_t kStarNodes = 4;
Selection select(Collective collective, const Shape& shape, std::uint64_t bytes,
                 std::string_view name, std::uint64_t segment_bytes, const Tuning& tuning,
                 const Layout& layout = {});

// Whether the root of a short broadcast may send to all nodes itself (kServesAll) in place of the
// tree that is selected for all others, where ranks come unevenly. Not where the user asks for the
// tree, nor where the copies that the root holds until they have left would be many.
inline constexpr std::int64_t kMostServedByRoot = 32;
inline constexpr const char* kServesAll = "linear";
bool root_may_serve_all(const Selection& selection, std::int64_t nodes);

inline Selection select_bcast(const Shape& shape, std::uint64_t bytes, std::string_view name,
                              std::uint64_t segment_bytes, const Tuning& tuning) {
  return select(Collective::kBcast, shape, bytes, name, segment_bytes, tuning);
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SELECT_H_
