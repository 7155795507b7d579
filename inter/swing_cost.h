// Times of Swing and of the reduce over Bine trees, for selection. Units as in cost_model.h.
//
// All ways (inter/tofu_algos/swing_rounds.h) go through their rounds side by side, which are
// pipelined_steps.h's steps. A round has the latency of its longest way, and all ways that have a
// round on one axis share its links.
#ifndef MPIACTOR_INTER_SWING_COST_H_
#define MPIACTOR_INTER_SWING_COST_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "inter/cost_model.h"
#include "inter/plan.h"
#include "inter/tofu_algos/swing_rounds.h"

namespace mpiactor::inter {

class SwingModel {
 public:
  SwingModel(const Shape& shape, const LinkModel& link);

  // Allreduce "swing" and "swingshort", reduce "bine".
  enum class Kind { kAllreduce, kAllreduceShort, kReduce };

  // Nothing where the algorithm cannot run.
  std::optional<double> time_us(Kind kind, std::uint64_t bytes, std::uint64_t segment_bytes) const;

 private:
  // One round of all ways. Shares are of the whole message.
  struct Step {
    double message = 0;     // of a message, the longest
    double link = 0;        // over the busiest link
    double node_sends = 0;  // all that a node sends, and receives
    int peers = 1;          // to which it sends on a way
    int messages = 0;       // that it sends, on all ways
    int hops = 1;
    bool cuts = true;
  };

  // Rounds in which everyone cuts what it has left, but for those of two in kAllreduceShort.
  std::vector<Step> steps(Kind kind, double bytes) const;

  Shape shape_;
  LinkModel link_;
  bool torus_;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SWING_COST_H_
