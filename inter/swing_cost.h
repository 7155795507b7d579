// Times of Swing and of the reduce over Bine trees, for selection. Units as in cost_model.h.
//
// All ways (inter/tofu_algos/swing_rounds.h) go through their rounds side by side. A round has the
// latency of its longest way, and what it moves takes as long as the slowest of
// - one message's own pace: segments, as far as the window lets them follow each other;
// - the busiest axis: all ways that have a round there share its links;
// - the node's path to all links.
// The rounds' latencies add up. Moving and combining overlap, of all rounds together, as far as
// segments and ways allow; neither is quicker than the node's processor.
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
    int messages = 0;       // that it sends
    int ways = 0;           // on which it does
    int hops = 1;
    bool cuts = true;
  };

  // Rounds in which everyone cuts what it has left, but for those of two in kAllreduceShort.
  std::vector<Step> steps(Kind kind, double bytes) const;
  double latency_us(const Step& step, double bytes) const;
  // Until all of a message has moved, beyond its latency, when everyone sends.
  double moving_us(const Step& step, double bytes, double segment) const;
  // To the root, along the rounds backward: the root's messages.
  double gather_us(const std::vector<Step>& steps, double bytes, double segment) const;

  Shape shape_;
  LinkModel link_;
  bool torus_;
  double ways_ = 0;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SWING_COST_H_
