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

// All algorithms that can run on the shape, the fastest by the model first. `bytes` as MPI counts
// them: broadcast, reduce, allreduce: the vector; allgather: what one node gives; alltoall: what a
// node gives each node.
std::vector<Candidate> candidates(Collective collective, const Shape& shape, std::uint64_t bytes,
                                  const LinkModel& link);

struct Selection {
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;
  const char* reason = "";  // "setting", "tuning table", "few nodes", "model"
};

// `name`: a registered algorithm or "auto"; `segment_bytes`: 0 for the best one. `bytes` as above.
//
// "auto" takes the tuning table's rule; else what is best by experience on few nodes; else the
// model's fastest. Few nodes:
// - broadcast on up to kStarNodes: "linear", where every algorithm moves the same bytes and no node
//   then waits for another one's leader; on a switch of up to kFewNodes also for messages of middle
//   length, which one process sends eagerly to all more quickly than nodes announce themselves;
// - allgather on up to kFewNodes: "bruck" for results of up to kShortAllgatherBytes, "ring" for
//   longer ones, whose messages go between neighbours alone;
// - alltoall on up to kFewNodes: "linear" for blocks of up to kShortBlockBytes [Fugaku], "pairwise"
//   for longer ones, which keeps several senders from meeting at one receiver.
inline constexpr std::int64_t kStarNodes = 4;
inline constexpr std::int64_t kFewNodes = 8;
constexpr bool has_middle_length(std::uint64_t bytes) {
  return bytes > 2 << 10 && bytes <= 16 << 10;
}
inline constexpr std::uint64_t kShortAllgatherBytes = 64 << 10;
inline constexpr std::uint64_t kShortBlockBytes = 128 << 10;
Selection select(Collective collective, const Shape& shape, std::uint64_t bytes,
                 std::string_view name, std::uint64_t segment_bytes, const Tuning& tuning);

inline Selection select_bcast(const Shape& shape, std::uint64_t bytes, std::string_view name,
                              std::uint64_t segment_bytes, const Tuning& tuning) {
  return select(Collective::kBcast, shape, bytes, name, segment_bytes, tuning);
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SELECT_H_
