#include "inter/swing_cost.h"

#include <algorithm>
#include <cmath>

#include "inter/tofu_algos/folded_line.h"

namespace mpiactor::inter {
namespace {

// Fitted to the simulator on tori of 8 to 3,072 nodes, machines k_model and fugaku.
constexpr double kOverlap = 0.6;
constexpr double kApart = 0.25;  // of moving and combining, what does not overlap
// Where many meet at once, routes block each other.
constexpr double kBlockingOnLine = 4.5;
constexpr double kBlockingOnRing = 5.5;
constexpr double kMostBlockingOnRing = 3.2;

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
  const double blocking =
      ring ? std::clamp((round.radix + 2) / kBlockingOnRing, 1.0, kMostBlockingOnRing)
           : std::max(1.0, (round.radix + 2) / kBlockingOnLine);
  meeting.link_load = blocking * all_hops / round.radix / 2;
  return meeting;
}

}  // namespace

SwingModel::SwingModel(const Shape& shape, const LinkModel& link)
    : shape_(shape), link_(link), torus_(link.is_torus(shape)) {
  if (has_swing_rounds(shape)) ways_ = static_cast<double>(swing_ways(shape).size());
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
      step.messages += round.radix - 1;
      ++step.ways;
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

double SwingModel::latency_us(const Step& step, double bytes) const {
  const double message = step.message * bytes;
  const bool meets = message > static_cast<double>(eager_limit_bytes(
                                   step.hops, link_.eager_bytes_near, link_.eager_bytes_far));
  const double hop_us = torus_ ? link_.hop_us * (step.hops - 1) : 0;
  // The ways' messages leave one after the other, but many ways do not wait for each other.
  const double in_turn = (step.messages - 1) / std::max(1.0, step.ways / 2.0);
  return link_.latency_us + hop_us + link_.overhead_us * in_turn +
         (meets ? link_.rendezvous_us : 0);
}

double SwingModel::moving_us(const Step& step, double bytes, double segment) const {
  const double message = step.message * bytes;
  const double cut = std::min(message, segment);
  const double send_us = cut / link_.bandwidth_mbps;
  const double cycle_us = link_.latency_us + send_us;
  // Segments that are there early go while those of the round before still come.
  const double pace_us = std::max(send_us, kOverlap * cycle_us / link_.window);
  return std::max({send_us + (message / cut - 1) * pace_us,
                   step.link * bytes / link_.bandwidth_mbps,
                   step.node_sends * bytes / link_.path_mbps});
}

double SwingModel::gather_us(const std::vector<Step>& steps, double bytes, double segment) const {
  double latency = 0;
  double sends = 0;
  double all = 0;
  for (const Step& step : steps) {
    latency += latency_us(step, bytes);
    sends += std::ceil(step.message * bytes / segment) * step.messages;
    all += step.node_sends * bytes;
  }
  const double links = torus_ ? ways_ : 1;
  return std::max({latency, all / links / link_.bandwidth_mbps, all / link_.path_mbps,
                   sends * link_.overhead_us, moving_us(steps[0], bytes, segment)});
}

std::optional<double> SwingModel::time_us(Kind kind, std::uint64_t bytes,
                                          std::uint64_t segment_bytes) const {
  if (ways_ == 0) return std::nullopt;
  const auto all = static_cast<double>(bytes);
  const auto segment = static_cast<double>(segment_bytes);
  const std::vector<Step> rounds = steps(kind, all);
  double latency = 0;
  double moving = 0;
  double combining = 0;
  double processor = 0;
  for (const Step& step : rounds) {
    // What has been cut is put together again, in a round backward.
    const int times = kind != Kind::kReduce && step.cuts ? 2 : 1;
    latency += times * latency_us(step, all);
    moving += times * moving_us(step, all, segment);
    combining += step.node_sends * all / link_.reduce_mbps;
    processor +=
        times * link_.overhead_us * step.messages * std::ceil(step.message * all / segment);
  }
  // The ways do not wait for each other, so that one combines while another moves; segments of one
  // way overlap, too.
  const double apart =
      std::max(kApart, 1 / std::sqrt(std::ceil(rounds[0].message * all / segment)));
  if (kind == Kind::kReduce) moving += gather_us(rounds, all, segment);
  const double busy = std::max(moving, combining) + apart * std::min(moving, combining);
  return link_.startup_us + std::max(processor, latency + busy);
}

}  // namespace mpiactor::inter
