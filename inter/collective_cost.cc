#include "inter/collective_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inter/folding.h"
#include "inter/log2.h"
#include "inter/pipelined_steps.h"
#include "inter/swing_cost.h"
#include "inter/tofu_algos/folded_line.h"

namespace mpiactor::inter {
namespace {

double as_double(std::uint64_t bytes) { return static_cast<double>(bytes); }

// Segments that hold up others on their way.
constexpr std::uint64_t kLongSegment = 16 << 10;

int axes_of(const Shape& shape) {
  return static_cast<int>(
      std::count_if(shape.extent, shape.extent + 3, [](int n) { return n > 1; }));
}

// Ways over which a node of a torus sends at once: two an axis that is longer than two.
int ways_of_a_node(const Shape& shape) {
  int ways = 0;
  for (int extent : shape.extent) ways += std::min(extent - 1, 2);
  return std::max(ways, 1);
}

// At once: both ways round a ring, one along an axis without wrap-around.
int ways_of_multi_ring(const Shape& shape) {
  int ways = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.extent[axis] > 1) ways += is_ring(shape, axis) ? 2 : 1;
  }
  return std::clamp(ways, 1, 4);
}

// Where messages block each other all round a ring, how many times as long they take. This and the
// other factors below are fitted to the simulator.
constexpr double kCirculating = 1.45;
// The same of an alltoall, in which messages of all distances meet: the longer the ring, the more.
double blocking_on_ring(int extent) {
  constexpr int kFree = 3;
  return std::clamp(1 + 0.05 * (extent - kFree), 1.0, 1.8);
}

// For how long the links of a torus are busy where all nodes send to the nearest offset first, then
// to the next, and so on. Messages on a line block each other by `on_lines`.
double shifts_in_turn_us(const Shape& shape, double send_us, double hop_us, double on_lines) {
  constexpr int kMostOffsets = 1024;  // looked at
  double message_us[3];
  for (int axis = 0; axis < 3; ++axis) {
    message_us[axis] = is_ring(shape, axis)
                           ? blocking_on_ring(shape.extent[axis]) * (send_us + hop_us)
                           : (shape.extent[axis] > 2 ? on_lines : 1) * send_us;
  }
  double all_us = 0;
  const auto nodes = static_cast<int>(shape.nodes());
  const int step = (nodes - 1) / kMostOffsets + 1;
  for (int offset = 1; offset < nodes; offset += step) {
    const Coordinates by = coordinates_of(shape, offset);
    double most_us = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int load = std::min(by.at[axis], shape.extent[axis] - by.at[axis]);
      most_us = std::max(most_us, load * message_us[axis]);
    }
    all_us += most_us;
  }
  return all_us * step;
}

// Likewise where they send to all directions at once. Messages block each other on a ring, the more
// so with long segments, but not on a line.
double spread_us(const Shape& shape, double send_us, double hop_us, std::uint64_t segment_bytes) {
  const double on_ring = 2.4 * (segment_bytes > kLongSegment ? 1.25 : 1);
  double most_us = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double load = static_cast<double>(shape.nodes()) * shape.extent[axis] / 8;
    const double message_us = is_ring(shape, axis) ? on_ring * (send_us + hop_us) : 2 * send_us;
    most_us = std::max(most_us, load * message_us);
  }
  return most_us;
}

// Of the way from a node to another one, in the mean.
double mean_hops(const Shape& shape) {
  double hops = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = shape.extent[axis];
    hops += is_ring(shape, axis) ? extent / 4 : (extent - 1 / extent) / 3;
  }
  return std::max(hops, 1.0);
}

// A message of each node.
PipelinedStep step_of(double bytes, const Traffic& traffic, bool combines) {
  // Who combines leaves room on the links meanwhile.
  const bool blocks = traffic.circulates && !combines;
  return {.bytes = bytes,
          .hops = traffic.hops,
          .load = traffic.load * (blocks ? kCirculating : 1),
          .combines = combines};
}

}  // namespace

CollectiveModel::CollectiveModel(const Shape& shape, const LinkModel& link)
    : shape_(shape),
      link_(link),
      torus_(link.is_torus(shape)),
      nodes_(static_cast<int>(shape.nodes())),
      places_(Folding(nodes_).places()) {
  if (!torus_) link_.hop_us = 0;
}

// On large shapes a rule of thumb: the peers lie half the shape apart, and share its links.
template <typename Peer>
Traffic CollectiveModel::traffic_to(Peer peer) const {
  if (!torus_) return {};
  if (counts_links()) return traffic_of(shape_, peer);
  const int longest = *std::max_element(shape_.extent, shape_.extent + 3);
  return {.hops = std::max(1, diameter_hops(shape_, link_) / 2),
          .load = std::max(1.0, longest / 4.0)};
}

const std::vector<Traffic>& CollectiveModel::swaps() const {
  if (!swaps_.empty()) return swaps_;
  const Folding folding(nodes_);
  for (int distance = 1; distance < places_; distance *= 2) {
    swaps_.push_back(traffic_to([&](int node) {
      if (folding.steps_aside(node)) return node;
      return folding.rank_at(folding.place_of(node) ^ distance);
    }));
  }
  return swaps_;
}

const std::vector<Traffic>& CollectiveModel::shifts() const {
  if (!shifts_.empty()) return shifts_;
  for (int distance = 1; distance < nodes_; distance *= 2) {
    shifts_.push_back(traffic_to([&](int node) { return (node - distance + nodes_) % nodes_; }));
  }
  return shifts_;
}

const std::vector<Traffic>& CollectiveModel::meetings() const {
  if (!meetings_.empty()) return meetings_;
  const int rounds = ceil_log2(nodes_);
  if (!counts_links()) {
    meetings_.assign(static_cast<std::size_t>(rounds), traffic_to([](int node) { return node; }));
    return meetings_;
  }
  struct Part {
    int begin, end;
  };
  std::vector<Part> parts = {{0, nodes_}};
  for (int round = rounds; round > 0; --round) {
    std::vector<int> peers(static_cast<std::size_t>(nodes_));
    std::vector<Part> halves;
    for (const Part& part : parts) {
      const int middle = part.begin + (part.end - part.begin + 1) / 2;
      for (int node = part.begin; node < part.end; ++node) {
        const int lower = node < middle ? node : part.begin + node - middle;
        const int upper = middle + lower - part.begin;
        const int peer = node < middle ? upper : lower;
        peers[static_cast<std::size_t>(node)] = upper < part.end ? peer : node;
      }
      if (middle - part.begin > 0) halves.push_back({part.begin, middle});
      if (part.end > middle) halves.push_back({middle, part.end});
    }
    meetings_.push_back(
        traffic_to([&](int node) { return peers[static_cast<std::size_t>(node)]; }));
    parts = std::move(halves);
  }
  std::reverse(meetings_.begin(), meetings_.end());
  return meetings_;
}

// Reduce-scatter and allgather; with `gathers` everything goes to one place instead.
void CollectiveModel::add_halving(double bytes, bool gathers, PipelinedSteps* pipeline) const {
  double part = bytes / 2;
  for (auto traffic = swaps().rbegin(); traffic != swaps().rend(); ++traffic, part /= 2) {
    pipeline->add(step_of(part, *traffic, true));
  }
  for (const Traffic& traffic : swaps()) {
    part *= 2;
    pipeline->add(step_of(part, gathers ? Traffic{traffic.hops, 1} : traffic, false));
  }
}

// What goes round all nodes in their order takes all edges but one: from the last node to the first
// one, from plane to plane, from row to row, and along x.
void CollectiveModel::add_ring(double bytes, bool combines, PipelinedSteps* pipeline) const {
  int taken = 0;
  for (const int run : {nodes_, shape_.extent[0] * shape_.extent[1], shape_.extent[0], 1}) {
    const int edges = std::min(nodes_ / run, nodes_ - 1) - taken;
    if (edges == 0) continue;
    const Traffic edge{hops_between(shape_, link_, run - 1, run % nodes_), 1};
    pipeline->add(step_of(bytes, edge, combines), edges);
    taken += edges;
  }
}

std::optional<double> CollectiveModel::reduce_us(std::string_view algorithm, std::uint64_t bytes,
                                                 std::uint64_t segment_bytes) const {
  if (nodes_ <= 1 || bytes == 0) return 0.0;
  const double all = as_double(bytes);
  const double segment = as_double(std::clamp<std::uint64_t>(segment_bytes, 1, bytes));
  if (algorithm == "chain") {
    PipelinedSteps line(link_, segment);
    line.add(step_of(all, Traffic{}, true), nodes_ - 1);
    return link_.startup_us + line.through_nodes_us(all, 1);
  }
  if (algorithm == "binomial") {
    PipelinedSteps rounds(link_, segment);
    for (int distance = 1; distance < nodes_; distance *= 2) {
      const int hops = std::max(1, hops_between(shape_, link_, 0, distance));
      rounds.add(step_of(all, Traffic{hops, 1}, true));
    }
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "rabenseifner") {
    PipelinedSteps rounds(link_, segment);
    if (folds()) rounds.add(step_of(all, Traffic{}, true));
    add_halving(all, true, &rounds);
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "trinaryx3") return trinaryx3_us(all, segment, false);
  if (algorithm == "bine") {
    return SwingModel(shape_, link_).time_us(SwingModel::Kind::kReduce, bytes, segment_bytes);
  }
  return std::nullopt;
}

// Its streams have a link each on a torus, and share one on a switch.
double CollectiveModel::trinaryx3_us(double bytes, double segment, bool all) const {
  const int axes = axes_of(shape_);
  LinkModel link = link_;
  if (!torus_) link.bandwidth_mbps /= axes;
  PipelinedSteps line(link, segment);
  line.add(step_of(bytes / axes, Traffic{}, true), trinary_depth(shape_));
  if (all) line.add(step_of(bytes / axes, Traffic{}, false), trinary_depth(shape_));
  // Where trees branch, a node has one child more.
  return link_.startup_us + line.through_nodes_us(bytes / axes, axes > 1 ? axes + 1 : 1);
}

std::optional<double> CollectiveModel::allreduce_us(std::string_view algorithm, std::uint64_t bytes,
                                                    std::uint64_t segment_bytes) const {
  if (nodes_ <= 1 || bytes == 0) return 0.0;
  const double all = as_double(bytes);
  const double segment = as_double(std::clamp<std::uint64_t>(segment_bytes, 1, bytes));
  if (algorithm == "recdoubling") {
    PipelinedSteps rounds(link_, segment);
    if (folds()) rounds.add(step_of(all, Traffic{}, true));
    for (const Traffic& traffic : swaps()) rounds.add(step_of(all, traffic, true));
    if (folds()) rounds.add(step_of(all, Traffic{}, false));
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "rabenseifner") {
    PipelinedSteps rounds(link_, segment);
    if (folds()) rounds.add(step_of(all, Traffic{}, true));
    add_halving(all, false, &rounds);
    if (folds()) rounds.add(step_of(all, Traffic{}, false));
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "ring") {
    PipelinedSteps rounds(link_, segment);
    for (const bool combines : {true, false}) add_ring(all / nodes_, combines, &rounds);
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "trinaryx3") return trinaryx3_us(all, segment, true);
  const SwingModel swing(shape_, link_);
  if (algorithm == "swing")
    return swing.time_us(SwingModel::Kind::kAllreduce, bytes, segment_bytes);
  if (algorithm == "swingshort") {
    return swing.time_us(SwingModel::Kind::kAllreduceShort, bytes, segment_bytes);
  }
  return std::nullopt;
}

std::optional<double> CollectiveModel::allgather_us(std::string_view algorithm, std::uint64_t bytes,
                                                    std::uint64_t segment_bytes) const {
  if (nodes_ <= 1 || bytes == 0) return 0.0;
  const double block = as_double(bytes);
  const double segment = as_double(std::max<std::uint64_t>(segment_bytes, 1));
  PipelinedSteps rounds(link_, segment);
  if (algorithm == "bruck") {
    int held = 1;
    for (const Traffic& traffic : shifts()) {
      const int sent = std::min(held, nodes_ - held);
      rounds.add(step_of(sent * block, traffic, false));
      held += sent;
    }
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "recdoubling") {
    std::vector<int> parts;
    for (int part = nodes_; part > 1; part -= part / 2) parts.push_back(part - part / 2);
    for (const Traffic& traffic : meetings()) {
      rounds.add(step_of(parts.back() * block, traffic, false));
      parts.pop_back();
    }
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "ring") {
    add_ring(block, false, &rounds);
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "multiring3d") {
    const int ways = torus_ ? ways_of_multi_ring(shape_) : 1;
    const double part = block / ways;
    const double parts = std::ceil(part / segment);
    int waits = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int steps = shape_.extent[axis] - 1;
      const bool folded = torus_ && steps > 1 && !is_ring(shape_, axis);
      if (steps > 0) rounds.add(step_of(part, Traffic{folded ? 2 : 1}, false), steps);
      waits += steps;
    }
    const double sends_us =
        (nodes_ - 1) * std::max(send_us(part), ways * parts * link_.overhead_us);
    return link_.startup_us +
           std::max(rounds.at_each_node_us() + (nodes_ - 1 - waits) * send_us(part),
                    link_.latency_us + sends_us);
  }
  return std::nullopt;
}

std::optional<double> CollectiveModel::alltoall_us(std::string_view algorithm, std::uint64_t bytes,
                                                   std::uint64_t segment_bytes) const {
  if (nodes_ <= 1 || bytes == 0) return 0.0;
  const double block = as_double(bytes);
  const double others = nodes_ - 1;
  if (algorithm == "bruck") {
    PipelinedSteps rounds(link_, std::numeric_limits<double>::infinity());  // never cut
    for (const Traffic& traffic : shifts())
      rounds.add(step_of(nodes_ / 2.0 * block, traffic, false));
    return link_.startup_us + rounds.at_each_node_us();
  }
  const double send = send_us(block);
  const double far_us = latency_us(std::max(1, diameter_hops(shape_, link_)));
  // One message after the other, in segments and uncut.
  PipelinedSteps message(link_, as_double(std::max<std::uint64_t>(segment_bytes, 1)));
  message.add({.bytes = block});
  const double way_us = torus_ ? link_.hop_us * (mean_hops(shape_) - 1) : 0;
  const double message_us = way_us + message.at_each_node_us();
  const double uncut_us = way_us + link_.latency_us + send;
  if (algorithm == "doublespread") {
    const int ways = torus_ ? ways_of_a_node(shape_) : 1;
    const double each = std::ceil(others / ways);
    const double links_us = torus_ ? spread_us(shape_, send, link_.hop_us, segment_bytes) : 0;
    return link_.startup_us +
           std::max(each * message_us, both(each * uncut_us, far_us + links_us, 3));
  }
  // Messages that wait for their receivers go from all nodes to the same one at once. On a line
  // they block each other, as far as they go in one piece.
  const bool meets = bytes > link_.eager_bytes_near;
  const double share = std::min(1.0, link_.window * as_double(segment_bytes) / block);
  const double links_us =
      torus_ ? shifts_in_turn_us(shape_, send, link_.hop_us, meets ? 1 + share : 1) : 0;
  if (algorithm == "linear") {
    const double node_us =
        far_us + others * (kMessageOverheadUs * std::ceil(block / as_double(segment_bytes)) + send);
    return link_.startup_us + std::max(node_us, far_us + links_us);
  }
  if (algorithm == "pairwise") {
    return link_.startup_us + others * (message_us - send) + std::max(others * send, links_us);
  }
  return std::nullopt;
}

}  // namespace mpiactor::inter
