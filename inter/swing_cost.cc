#include "inter/swing_cost.h"

#include <algorithm>
#include <cmath>

#include "inter/pipelined_steps.h"
#include "inter/tofu_algos/folded_line.h"

namespace mpiactor::inter {
namespace {

// Messages that share a link block each other, the more so the more they are, on a line less than
// all round a ring: a way has `load` of them, its mirror image as many. Fitted to the simulator on
// rings and lines of 8 to 100 nodes and tori of them, machines k_model and fugaku.
double blocking(double load, bool ring) {
  return load > 1 ? std::min(1 + std::log2(2 * load) / 4, ring ? 2.5 : 2) : 1;
}

// Of one round on its axis: the longest way to a member, and messages over a directed link, in
// their mean, when every node sends one to each member.
struct Meeting {
  int hops = 1;
  double link_load = 1;
};

Meeting meeting_of(const Shape& shape, const SwingRounds::Round& round) {
  const int extent = shape.extent[round.axis];
  const bool ring = is_ring(shape, round.axis);
  const auto hops = [&](int distance) {
    const int along = std::min(distance, extent - distance);
    return ring ? along : 2 * along;  // a line is a folded ring
  };
  const int nearest =
      hops(round.swing == SwingRounds::kNoSwing ? round.stride
                                                : std::abs(swing_distance(round.swing)) % extent);
  Meeting meeting{nearest, 0};
  double all_hops = 0;
  for (int from = 0; from < round.radix; ++from) {
    for (int to = 0; to < round.radix; ++to) {
      if (from == to) continue;
      const int way = round.radix == 2 ? nearest : hops(std::abs(to - from) * round.stride);
      meeting.hops = std::max(meeting.hops, way);
      all_hops += way;
    }
  }
  const double load = all_hops / round.radix / 2;
  meeting.link_load = load * blocking(load, ring);
  return meeting;
}

}  // namespace

SwingModel::SwingModel(const Shape& shape, const LinkModel& link)
    : shape_(shape), link_(link), torus_(link.is_torus(shape)) {
  if (!torus_) link_.hop_us = 0;
}

std::vector<SwingModel::Step> SwingModel::steps(Kind kind, double bytes) const {
  const bool swaps = kind == Kind::kAllreduceShort;
  const auto pairs = swaps ? SwingRounds::Pairs::kClosed : SwingRounds::Pairs::kSwing;
  std::vector<Step> steps;
  std::vector<double> axis_loads;  // three a step
  std::vector<SwingWay> ways = swing_ways(shape_);
  const double parts = std::ceil(bytes / static_cast<double>(kShortestSwingPart));
  if (parts < static_cast<double>(ways.size())) ways.resize(static_cast<std::size_t>(parts));
  for (const SwingWay& way : ways) {
    const SwingRounds rounds(shape_, way, pairs);
    std::vector<int> order;
    for (const bool pairs_now : {false, true}) {
      for (int index = 0; index < rounds.count(); ++index) {
        if (!swaps && pairs_now) continue;
        if (!swaps || pairs_now == (rounds.radix(index) == 2)) order.push_back(index);
      }
    }
    steps.resize(order.size());
    axis_loads.resize(3 * order.size(), 0);
    double left = 1 / static_cast<double>(ways.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      const SwingRounds::Round& round = rounds.round(order[k]);
      const bool cuts = !swaps || round.radix > 2;
      const double message = cuts ? left / round.radix : left;
      const Meeting meeting = meeting_of(shape_, round);
      Step& step = steps[k];
      step.message = std::max(step.message, message);
      step.node_sends += message * (round.radix - 1);
      step.peers = std::max(step.peers, round.radix - 1);
      step.messages += round.radix - 1;
      step.cuts = cuts;
      double& load = axis_loads[3 * k + static_cast<std::size_t>(round.axis)];
      load += message * meeting.link_load;
      step.link = std::max(step.link, load);
      if (torus_) step.hops = std::max(step.hops, meeting.hops);
      if (cuts) left /= round.radix;
    }
  }
  if (!torus_) {
    for (Step& step : steps) step.link = step.node_sends;
  }
  return steps;
}

std::optional<double> SwingModel::time_us(Kind kind, std::uint64_t bytes,
                                          std::uint64_t segment_bytes) const {
  if (!has_swing_rounds(shape_)) return std::nullopt;
  const auto all = static_cast<double>(bytes);
  PipelinedSteps pipeline(link_, static_cast<double>(segment_bytes));
  const std::vector<Step> rounds = steps(kind, all);
  const auto add = [&](const Step& step, bool combines) {
    pipeline.add({.bytes = step.message * all,
                  .hops = step.hops,
                  .load = std::max(step.link / step.message, 1.0),
                  .peers = step.peers,
                  .messages = step.messages,
                  .node_bytes = step.node_sends * all,
                  .combines = combines});
  };
  for (const Step& step : rounds) add(step, true);
  // What has been cut is put together again, in a round backward.
  for (auto step = rounds.rbegin(); step != rounds.rend(); ++step) {
    if (kind == Kind::kReduce) {
      // At the root, which each of its peers sends a message.
      pipeline.add({.bytes = step->message * all,
                    .hops = step->hops,
                    .load = static_cast<double>(torus_ ? step->peers : step->messages),
                    .node_bytes = step->node_sends * all});
    } else if (step->cuts) {
      add(*step, false);
    }
  }
  return link_.startup_us + pipeline.at_each_node_us();
}

}  // namespace mpiactor::inter
