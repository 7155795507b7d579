#include "inter/collective_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "inter/swing_cost.h"
#include "inter/tofu_algos/folded_line.h"

namespace mpiactor::inter {
namespace {

double as_double(std::uint64_t bytes) { return static_cast<double>(bytes); }

int floor_log2(std::int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

// One of many steps in a row, in each of which a node sends as much as it takes in and combines.
// Segments go on to the next step one by one: a step's transfers and its combining overlap those
// around it, as far as the window and the way of one segment through the step permit.
struct Step {
  double latency_us;
  double send_us;
  double combine_us;

  double time_us(double segments, int window) const {
    const double transfer_us = latency_us + send_us / segments;
    const double under_way = std::min(static_cast<double>(window), segments);
    return std::max({send_us, combine_us, segments * transfer_us / under_way,
                     transfer_us + combine_us / segments});
  }
};

// What every formula is made of.
struct Terms {
  double nodes;
  int floor_log;  // rounds among the largest power of two of nodes
  int ceil_log;
  double latency_us;
  double far_latency_us;  // to the nodes that algorithms meet which know no torus
  double send_us;         // all bytes over one link
  double far_send_us;     // likewise when all nodes send so far, and share links
  double combine_us;      // all bytes
  double share;           // 1 - 1/N

  Terms(const Shape& shape, std::uint64_t bytes, const LinkModel& link)
      : nodes(static_cast<double>(shape.nodes())),
        floor_log(floor_log2(shape.nodes())),
        ceil_log(floor_log +
                 (std::has_single_bit(static_cast<std::uint64_t>(shape.nodes())) ? 0 : 1)),
        latency_us(link.latency_us),
        far_latency_us(latency_us),
        send_us(as_double(bytes) / link.bandwidth_mbps),
        far_send_us(send_us),
        combine_us(as_double(bytes) / link.reduce_mbps),
        share(1 - 1 / nodes) {
    if (!link.is_torus(shape)) return;
    const int farthest = diameter_hops(shape, link) / 2;
    far_latency_us += link.hop_us * std::max(0, farthest - 1);
    const int longest = *std::max_element(shape.extent, shape.extent + 3);
    far_send_us *= std::max(1.0, longest / 4.0);
  }

  bool folds() const { return ceil_log != floor_log; }
  double halving_us() const {
    return 2 * floor_log * far_latency_us + share * (2 * far_send_us + combine_us);
  }
  // The nodes beyond the largest power of two give what they have, and get the result.
  Step fold_in() const { return folds() ? Step{latency_us, send_us, combine_us} : Step{}; }
  Step fold_out() const { return folds() ? Step{latency_us, send_us, 0} : Step{}; }
};

// Trinaryx3's streams have a link each on a torus, and share one on a switch.
LinkModel link_of_a_stream(const Shape& shape, const LinkModel& link) {
  LinkModel own = link;
  if (!link.is_torus(shape)) {
    const auto axes = std::count_if(shape.extent, shape.extent + 3, [](int n) { return n > 1; });
    own.bandwidth_mbps /= static_cast<double>(std::max<std::ptrdiff_t>(axes, 1));
  }
  return own;
}

// Links over which a node of a torus sends at once: two an axis that is longer than two.
int links_of_a_node(const Shape& shape, const LinkModel& link) {
  if (!link.is_torus(shape)) return 1;
  int links = 0;
  for (int extent : shape.extent) links += std::min(extent - 1, 2);
  return std::max(links, 1);
}

// At once: both ways round a ring, one along an axis without wrap-around.
int ways_of_multi_ring(const Shape& shape) {
  int ways = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.extent[axis] > 1) ways += is_ring(shape, axis) ? 2 : 1;
  }
  return std::clamp(ways, 1, 4);
}

// Blocks that go one after the other in an allgather by recursive doubling. Where the lower of two
// parts is one longer, a node of the upper one sends to two.
double doubled_blocks(int nodes) {
  double blocks = 0;
  while (nodes > 1) {
    const int upper = nodes / 2;
    const int lower = nodes - upper;
    blocks += lower > upper ? std::max(lower, 2 * upper) : lower;
    nodes = lower;
  }
  return blocks;
}

}  // namespace

std::optional<double> reduce_us(std::string_view algorithm, const Shape& shape, std::uint64_t bytes,
                                std::uint64_t segment_bytes, const LinkModel& link) {
  if (shape.nodes() <= 1 || bytes == 0) return 0.0;
  const Terms terms(shape, bytes, link);
  const std::uint64_t segment = std::clamp<std::uint64_t>(segment_bytes, 1, bytes);
  const double segments = std::ceil(as_double(bytes) / as_double(segment));
  if (algorithm == "chain") {
    return (terms.nodes - 2 + segments) *
           (message_us(link, segment) + as_double(segment) / link.reduce_mbps);
  }
  if (algorithm == "binomial") {
    const Step round{terms.far_latency_us, terms.send_us, terms.combine_us};
    return terms.ceil_log * round.time_us(segments, link.window);
  }
  if (algorithm == "rabenseifner") {
    return terms.fold_in().time_us(segments, link.window) + terms.halving_us();
  }
  if (algorithm == "trinaryx3") {
    return trinaryx3_reduce_us(shape, bytes, segment, link_of_a_stream(shape, link),
                               link.reduce_mbps);
  }
  if (algorithm == "bine")
    return SwingModel(shape, link).time_us(SwingModel::Kind::kReduce, bytes, segment);
  return std::nullopt;
}

std::optional<double> allreduce_us(std::string_view algorithm, const Shape& shape,
                                   std::uint64_t bytes, std::uint64_t segment_bytes,
                                   const LinkModel& link) {
  if (shape.nodes() <= 1 || bytes == 0) return 0.0;
  const Terms terms(shape, bytes, link);
  const std::uint64_t segment = std::clamp<std::uint64_t>(segment_bytes, 1, bytes);
  const double segments = std::ceil(as_double(bytes) / as_double(segment));
  const double folding_us = terms.fold_in().time_us(segments, link.window) +
                            terms.fold_out().time_us(segments, link.window);
  if (algorithm == "recdoubling") {
    const Step round{terms.far_latency_us, terms.far_send_us, terms.combine_us};
    return folding_us + terms.floor_log * round.time_us(segments, link.window);
  }
  if (algorithm == "rabenseifner") return folding_us + terms.halving_us();
  if (algorithm == "ring") {
    const double block_segments = std::ceil(as_double(bytes) / terms.nodes / as_double(segment));
    Step step{terms.latency_us, terms.send_us / terms.nodes, terms.combine_us / terms.nodes};
    const double combining_us = step.time_us(block_segments, link.window);
    step.combine_us = 0;
    return (terms.nodes - 1) * (combining_us + step.time_us(block_segments, link.window));
  }
  if (algorithm == "trinaryx3") {
    return trinaryx3_allreduce_us(shape, bytes, segment, link_of_a_stream(shape, link),
                                  link.reduce_mbps, 0);
  }
  if (algorithm == "swing")
    return SwingModel(shape, link).time_us(SwingModel::Kind::kAllreduce, bytes, segment_bytes);
  if (algorithm == "swingshort") {
    return SwingModel(shape, link).time_us(SwingModel::Kind::kAllreduceShort, bytes, segment_bytes);
  }
  return std::nullopt;
}

std::optional<double> allgather_us(std::string_view algorithm, const Shape& shape,
                                   std::uint64_t bytes, const LinkModel& link) {
  if (shape.nodes() <= 1 || bytes == 0) return 0.0;
  const Terms terms(shape, bytes, link);
  if (algorithm == "bruck" || algorithm == "recdoubling") {
    const double blocks =
        algorithm == "bruck" ? terms.nodes - 1 : doubled_blocks(static_cast<int>(terms.nodes));
    return terms.ceil_log * terms.far_latency_us + blocks * terms.far_send_us;
  }
  if (algorithm == "ring") return (terms.nodes - 1) * (terms.latency_us + terms.send_us);
  if (algorithm == "multiring3d") {
    const int links = link.is_torus(shape) ? ways_of_multi_ring(shape) : 1;
    return (terms.nodes - 1) * (terms.latency_us + terms.send_us / links);
  }
  return std::nullopt;
}

std::optional<double> alltoall_us(std::string_view algorithm, const Shape& shape,
                                  std::uint64_t bytes, const LinkModel& link) {
  if (shape.nodes() <= 1 || bytes == 0) return 0.0;
  const Terms terms(shape, bytes, link);
  const double others = terms.nodes - 1;
  double busiest_link_us = 0;
  if (link.is_torus(shape)) {
    const int longest = *std::max_element(shape.extent, shape.extent + 3);
    busiest_link_us = terms.nodes * longest / 8 * terms.send_us;
  }
  double node_us = 0;
  if (algorithm == "linear") {
    node_us = terms.latency_us + others * (kMessageOverheadUs + terms.send_us);
  } else if (algorithm == "pairwise") {
    node_us = others * (terms.latency_us + terms.send_us);
  } else if (algorithm == "bruck") {
    node_us = terms.ceil_log * (terms.latency_us + terms.nodes / 2 * terms.send_us);
  } else if (algorithm == "doublespread") {
    const double rounds = std::ceil(others / links_of_a_node(shape, link));
    node_us = rounds * (terms.latency_us + terms.send_us);
  } else {
    return std::nullopt;
  }
  return std::max(node_us, busiest_link_us);
}

}  // namespace mpiactor::inter
