#include "inter/pipelined_steps.h"

#include <algorithm>
#include <cmath>

namespace mpiactor::inter {
namespace {

// Of `both()`: two that are alike take 19 % longer than one of them.
constexpr double kSharpness = 4;

}  // namespace

void PipelinedSteps::add(const PipelinedStep& step, int times) {
  const double cut = std::min(segment_, step.bytes);
  const double segments = std::ceil(step.bytes / cut);
  const double combine_one_us = step.combines ? combine_us(cut) : 0;
  const double combine_own_us = step.peers * combine_one_us;
  const double sending_us = step.load * send_us(cut);
  const double transfer_us = link_.latency_us + link_.hop_us * (step.hops - 1) + sending_us;
  const double messages = std::max(step.messages, step.peers);
  const double node_bytes = std::max(step.node_bytes, step.bytes);
  if (way_us_ == 0) {
    first_us_ = transfer_us;
    // The handshake begins with the call, so that later steps find it over.
    const auto eager = eager_limit_bytes(step.hops, link_.eager_bytes_near, link_.eager_bytes_far);
    if (step.bytes > static_cast<double>(eager)) meeting_us_ = link_.rendezvous_us;
    // All ways begin at once, later they find the node free.
    other_ways_us_ = (messages - step.peers) * std::max(combine_one_us, link_.overhead_us);
  }
  way_us_ += times * (transfer_us + combine_own_us + (step.peers - 1) * link_.overhead_us);
  sent_us_ += times * step.load * send_us(step.bytes);
  path_us_ += times * node_bytes / link_.path_mbps;
  processor_us_ += times * messages * segments * link_.overhead_us;
  if (step.combines) {
    combined_us_ += times * combine_us(node_bytes);
    rest_us_ = 0;
  } else {
    rest_us_ += times * transfer_us;
  }
  const double pace_us = std::max({sending_us, messages * combine_one_us,
                                   transfer_us / link_.window, messages * link_.overhead_us});
  tail_us_ = std::max(tail_us_, (segments - 1) * pace_us);
  // One that has come finds another one leaving, for which the window has opened at the same time.
  if (segments > link_.window)
    behind_us_ += times * std::max(sending_us, messages * link_.overhead_us);
}

double PipelinedSteps::at_each_node_us() const {
  // Beyond the way of the first segment, of which nothing overlaps.
  double others_us = behind_us_ + other_ways_us_ + tail_us_;
  const double combined_us = combined_us_ > 0 ? first_us_ + combined_us_ + rest_us_ : 0;
  for (const double all_us :
       {link_.latency_us + sent_us_, link_.latency_us + path_us_, combined_us, processor_us_}) {
    others_us = both(others_us, std::max(0.0, all_us - way_us_), kSharpness);
  }
  return meeting_us_ + way_us_ + others_us;
}

double PipelinedSteps::through_nodes_us(double bytes, int children) const {
  const double cut = std::min(segment_, bytes);
  const double node_us = children * (combine_us(cut) + link_.overhead_us);
  const double rounds = bytes / cut - 1;
  const double pace_us = std::ceil(rounds) > 0 ? tail_us_ / std::ceil(rounds) : 0;
  return meeting_us_ + way_us_ + rounds * std::max(pace_us, node_us);
}

}  // namespace mpiactor::inter
