// Times of steps that segments go through one after the other, each as soon as it has come.
#ifndef MPIACTOR_INTER_PIPELINED_STEPS_H_
#define MPIACTOR_INTER_PIPELINED_STEPS_H_

#include "inter/cost_model.h"

namespace mpiactor::inter {

// What every node does in one step.
struct PipelinedStep {
  double bytes = 0;  // of a message
  int hops = 1;
  double load = 1;  // messages over the busiest link
  int peers = 1;    // to each of which it sends a message, and from each of which it gets one
  // What it sends in all, where that is more: on several ways at once.
  int messages = 1;
  double node_bytes = 0;
  bool combines = false;
};

// A segment of x bytes takes L + load x/B + x/C in a step (collective_cost.h). Those after it
// follow in the pace of the step that is slowest for all of its segments: of its link, its
// combining, its window or its processor. All of it takes no less than what any of these has to do
// in all.
class PipelinedSteps {
 public:
  PipelinedSteps(const LinkModel& link, double segment_bytes)
      : link_(link), segment_(segment_bytes) {}

  void add(const PipelinedStep& step, int times = 1);

  // Each node goes through all steps.
  double at_each_node_us() const;
  // Each node goes through one of the steps, all of which have `bytes`, and has `children` whose
  // segments it combines.
  double through_nodes_us(double bytes, int children) const;

 private:
  double send_us(double bytes) const { return bytes / link_.bandwidth_mbps; }
  double combine_us(double bytes) const { return bytes / link_.reduce_mbps; }

  const LinkModel& link_;
  double segment_;
  double meeting_us_ = 0;  // until a long message's receiver has answered
  // Of the first segment: on its way; behind other segments; behind those of other ways.
  double way_us_ = 0;
  double behind_us_ = 0;
  double other_ways_us_ = 0;
  double first_us_ = 0;  // until there is something to combine
  double rest_us_ = 0;   // after it has been combined for the last time
  double tail_us_ = 0;   // of the segments after it, in the step that takes longest
  // Of all segments.
  double sent_us_ = 0;
  double combined_us_ = 0;
  double path_us_ = 0;
  double processor_us_ = 0;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_PIPELINED_STEPS_H_
