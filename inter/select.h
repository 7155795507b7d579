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
#include "inter/tuning.h"

namespace mpiactor::inter {

// An algorithm with its best segment, and what the model says it takes.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;
  double time_us = 0;
};

// All broadcasts that can run on the shape, the fastest first.
std::vector<Candidate> bcast_candidates(const Shape& shape, std::uint64_t bytes,
                                        const LinkModel& link);

struct Selection {
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;
  const char* reason = "";  // "setting", "tuning table", "few nodes", "model"
};

// `name`: a registered algorithm or "auto"; `segment_bytes`: 0 for the best one.
//
// "auto" takes the tuning table's rule; on up to kStarNodes nodes "linear", where every algorithm
// moves the same bytes and no node then waits for another one's leader; else the model's fastest.
inline constexpr std::int64_t kStarNodes = 4;
Selection select_bcast(const Shape& shape, std::uint64_t bytes, std::string_view name,
                       std::uint64_t segment_bytes, const Tuning& tuning);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SELECT_H_
