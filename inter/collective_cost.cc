#include "inter/collective_cost.h"

#include <algorithm>
#include <cmath>

#include "inter/folding.h"
#include "inter/log2.h"
#include "inter/swing_cost.h"
#include "inter/tofu_algos/folded_line.h"

namespace mpiactor::inter {
namespace {

double as_double(std::uint64_t bytes) { return static_cast<double>(bytes); }

// Segments that hold up others on their way.
constexpr double kLongSegment = 16 << 10;

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
// The same of an alltoall in which all send to one offset after the other: the longer the rings,
// the more of its messages do.
double blocking_on_rings(const Shape& shape, double each_node, double most) {
  constexpr int kFree = 3;
  int longest = kFree;
  for (int axis = 0; axis < 3; ++axis) {
    if (is_ring(shape, axis)) longest = std::max(longest, shape.extent[axis]);
  }
  return std::min(1 + each_node * (longest - kFree), most);
}

// For how long the links of a torus are busy where all nodes send to the nearest offset first, then
// to the next, and so on.
double shifts_in_turn_us(const Shape& shape, double send_us, double hop_us) {
  constexpr int kMostOffsets = 1024;  // looked at
  double all_us = 0;
  const double blocking = blocking_on_rings(shape, 0.05, 1.8);
  const auto nodes = static_cast<int>(shape.nodes());
  const int step = (nodes - 1) / kMostOffsets + 1;
  for (int offset = 1; offset < nodes; offset += step) {
    const Coordinates by = coordinates_of(shape, offset);
    double most_us = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int load = std::min(by.at[axis], shape.extent[axis] - by.at[axis]);
      most_us = std::max(most_us,
                         load * (is_ring(shape, axis) ? blocking * (send_us + hop_us) : send_us));
    }
    all_us += most_us;
  }
  return all_us * step;
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

double CollectiveModel::meeting_us(double message_bytes, int hops) const {
  const std::uint64_t eager =
      eager_limit_bytes(hops, link_.eager_bytes_near, link_.eager_bytes_far);
  return message_bytes > as_double(eager) ? link_.rendezvous_us : 0;
}

// Steps that segments go through one after the other, each as soon as it has come.
class CollectiveModel::Pipeline {
 public:
  Pipeline(const CollectiveModel& model, double bytes, double segment)
      : model_(model),
        bytes_(bytes),
        segment_(std::min(segment, bytes)),
        segments_(std::ceil(bytes / segment)),
        combine_us_(model.combine_us(segment_)) {}

  void add(const Traffic& traffic, bool combines, int times = 1) {
    const double sending = traffic.load * model_.send_us(segment_);
    const double transfer = model_.latency_us(traffic.hops) + sending;
    way_us_ += times * (transfer + (combines ? combine_us_ : 0));
    sent_us_ += times * traffic.load * model_.send_us(bytes_);
    if (combines) combined_us_ += times * model_.combine_us(bytes_);
    pace_us_ = std::max({pace_us_, sending, combines ? combine_us_ : 0,
                         transfer / model_.link_.window, model_.link_.overhead_us});
    meeting_us_ = std::max(meeting_us_, model_.meeting_us(bytes_, traffic.hops));
  }

  // Each node goes through one step, and has `children` whose segments it combines.
  double through_nodes_us(int children) const {
    const double node_us = children * (combine_us_ + model_.link_.overhead_us);
    return meeting_us_ + way_us_ + (bytes_ / segment_ - 1) * std::max(pace_us_, node_us);
  }
  // Each node goes through all.
  double at_each_node_us() const {
    const double pace_us = (segments_ - 1) * pace_us_;
    return meeting_us_ + std::max({way_us_ + pace_us, model_.link_.latency_us + sent_us_,
                                   model_.link_.latency_us + combined_us_});
  }

 private:
  const CollectiveModel& model_;
  double bytes_;
  double segment_;
  double segments_;
  // Of one segment.
  double combine_us_;
  double way_us_ = 0;
  double pace_us_ = 0;
  // Of all.
  double sent_us_ = 0;
  double combined_us_ = 0;
  double meeting_us_ = 0;
};

double CollectiveModel::step_us(double bytes, double segment, const Traffic& traffic,
                                bool combines) const {
  Pipeline step(*this, bytes, segment);
  step.add(traffic, combines);
  return step.at_each_node_us();
}

double CollectiveModel::message_us(double bytes, const Traffic& traffic) const {
  const double load = traffic.load * (traffic.circulates ? kCirculating : 1);
  return meeting_us(bytes, traffic.hops) + latency_us(traffic.hops) + load * send_us(bytes);
}

// Reduce-scatter and allgather; with `gathers` everything goes to one place instead.
double CollectiveModel::halving_us(double bytes, double segment, bool gathers) const {
  double sum = 0;
  double part = bytes / places_;
  for (const Traffic& traffic : swaps()) {
    const Traffic back = gathers ? Traffic{traffic.hops, 1} : traffic;
    sum += step_us(part, segment, traffic, true) + step_us(part, segment, back, false);
    part *= 2;
  }
  return sum;
}

std::optional<double> CollectiveModel::reduce_us(std::string_view algorithm, std::uint64_t bytes,
                                                 std::uint64_t segment_bytes) const {
  if (nodes_ <= 1 || bytes == 0) return 0.0;
  const double all = as_double(bytes);
  const double segment = as_double(std::clamp<std::uint64_t>(segment_bytes, 1, bytes));
  if (algorithm == "chain") {
    Pipeline line(*this, all, segment);
    line.add(Traffic{}, true, nodes_ - 1);
    return link_.startup_us + line.through_nodes_us(1);
  }
  if (algorithm == "binomial") {
    Pipeline rounds(*this, all, segment);
    for (int distance = 1; distance < nodes_; distance *= 2) {
      const int hops = std::max(1, hops_between(shape_, link_, 0, distance));
      rounds.add(Traffic{hops, 1}, true);
    }
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "rabenseifner") {
    const double folding = folds() ? step_us(all, segment, Traffic{}, true) : 0;
    return link_.startup_us + folding + halving_us(all, segment, true);
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
  CollectiveModel one(shape_, link_);
  if (!torus_) one.link_.bandwidth_mbps /= axes;
  Pipeline line(one, bytes / axes, std::min(segment, bytes / axes));
  line.add(Traffic{}, true, trinary_depth(shape_));
  if (all) line.add(Traffic{}, false, trinary_depth(shape_));
  // Where trees branch, a node has one child more.
  return link_.startup_us + line.through_nodes_us(axes > 1 ? axes + 1 : 1);
}

std::optional<double> CollectiveModel::allreduce_us(std::string_view algorithm, std::uint64_t bytes,
                                                    std::uint64_t segment_bytes) const {
  if (nodes_ <= 1 || bytes == 0) return 0.0;
  const double all = as_double(bytes);
  const double segment = as_double(std::clamp<std::uint64_t>(segment_bytes, 1, bytes));
  if (algorithm == "recdoubling") {
    Pipeline rounds(*this, all, segment);
    if (folds()) rounds.add(Traffic{}, true);
    for (const Traffic& traffic : swaps()) rounds.add(traffic, true);
    if (folds()) rounds.add(Traffic{}, false);
    return link_.startup_us + rounds.at_each_node_us();
  }
  if (algorithm == "rabenseifner") {
    const double folding =
        folds() ? step_us(all, segment, Traffic{}, true) + step_us(all, segment, Traffic{}, false)
                : 0;
    return link_.startup_us + folding + halving_us(all, segment, false);
  }
  if (algorithm == "ring") {
    Pipeline rounds(*this, all / nodes_, segment);
    for (const bool combines : {true, false}) rounds.add(Traffic{}, combines, nodes_ - 1);
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
  const double segment = as_double(std::clamp<std::uint64_t>(segment_bytes, 1, bytes));
  double sum = link_.startup_us;
  if (algorithm == "bruck") {
    int held = 1;
    for (const Traffic& traffic : shifts()) {
      const int sent = std::min(held, nodes_ - held);
      sum += message_us(sent * block, traffic);
      held += sent;
    }
    return sum;
  }
  if (algorithm == "recdoubling") {
    const std::vector<Traffic>& rounds = meetings();
    int part = nodes_;
    for (auto traffic = rounds.rbegin(); traffic != rounds.rend(); ++traffic) {
      const int upper = part / 2;
      part -= upper;
      // Where the lower part is one longer, a node of the upper one sends to two.
      const double twice_us = part > upper ? 2 * send_us(upper * block) : 0;
      sum += std::max(message_us(part * block, *traffic), latency_us(traffic->hops) + twice_us);
    }
    return sum;
  }
  if (algorithm == "ring") {
    Pipeline round(*this, block, segment);
    round.add(Traffic{}, false, nodes_ - 1);
    return sum + round.at_each_node_us();
  }
  if (algorithm == "multiring3d") {
    const int ways = torus_ ? ways_of_multi_ring(shape_) : 1;
    int waits = 0;
    for (int extent : shape_.extent) waits += extent - 1;
    const double part = block / ways;
    const double parts = std::ceil(part / segment);
    Pipeline round(*this, part, std::min(segment, part));
    round.add(Traffic{}, false, waits);
    const double sends_us =
        (nodes_ - 1) * std::max(send_us(part), ways * parts * link_.overhead_us);
    return sum + std::max(round.at_each_node_us() + (nodes_ - 1 - waits) * send_us(part),
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
    double sum = link_.startup_us;
    for (const Traffic& traffic : shifts()) sum += message_us(nodes_ / 2.0 * block, traffic);
    return sum;
  }
  double node_us = 0;
  double busiest_us = 0;
  const double far_us = latency_us(std::max(1, diameter_hops(shape_, link_)));
  // Routes block each other, the more so with long segments.
  const double blocking = as_double(segment_bytes) > kLongSegment ? 1.25 : 1;
  if (algorithm == "linear" || algorithm == "pairwise") {
    node_us = algorithm == "linear" ? far_us + others * (kMessageOverheadUs + send_us(block))
                                    : others * message_us(block, Traffic{});
    if (torus_) busiest_us = blocking * shifts_in_turn_us(shape_, send_us(block), link_.hop_us);
  } else if (algorithm == "doublespread") {
    const int ways = torus_ ? ways_of_a_node(shape_) : 1;
    node_us = std::ceil(others / ways) * message_us(block, Traffic{});
    if (torus_) {
      const int longest = *std::max_element(shape_.extent, shape_.extent + 3);
      busiest_us = blocking * 2.4 * nodes_ * longest / 8 * (send_us(block) + link_.hop_us);
    }
  } else {
    return std::nullopt;
  }
  return link_.startup_us + std::max(node_us, far_us + busiest_us);
}

}  // namespace mpiactor::inter
