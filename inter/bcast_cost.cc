#include "inter/bcast_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "inter/log2.h"
#include "inter/routes.h"
#include "inter/traffic.h"

namespace mpiactor::inter {
namespace {

double as_double(std::uint64_t bytes) { return static_cast<double>(bytes); }

// Which link of `from` the way to `to` begins with.
int first_way(const Shape& shape, int from, int to) {
  const Coordinates a = coordinates_of(shape, from);
  const Coordinates b = coordinates_of(shape, to);
  for (int axis = 0; axis < 3; ++axis) {
    const AxisRoute route = axis_route(shape, axis, a.at[axis], b.at[axis]);
    if (route.hops > 0) return 2 * axis + (route.direction < 0);
  }
  return 0;
}

}  // namespace

double LineTreeCost::fill_us(double step_us, bool both_ways) const {
  double most_us = 0;
  for (const std::vector<double>& extra_us : way_extra_us) {
    for (std::size_t depth = 0; depth < extra_us.size(); ++depth) {
      most_us = std::max(most_us, static_cast<double>(depth) * step_us + extra_us[depth]);
    }
    if (!both_ways) break;
  }
  return most_us;
}

LineTreeCost::LineTreeCost(int extent, bool wraps, const LinkModel& link) {
  Shape line;
  line.extent[0] = extent;
  line.wraps[0] = wraps;
  LineLoads loads(extent);
  struct Place {
    int at;
    int depth;
    double extra_us;
    int low_begin, low_end, high_begin, high_end;  // the runs that it heads
  };
  const int half = 1 + extent / 2;
  for (const bool backward : {false, true}) {
    std::vector<double>& extra_us = way_extra_us[backward ? 1 : 0];
    const auto node = [&](int at) { return backward ? (extent - at) % extent : at; };
    std::vector<Place> open = {{0, 0, 0, 1, half, half, extent}};
    while (!open.empty()) {
      const Place place = open.back();
      open.pop_back();
      int served = 0;
      for (const auto& [begin, end] : {std::pair(place.low_begin, place.low_end),
                                       std::pair(place.high_begin, place.high_end)}) {
        if (begin >= end) continue;
        const int head = begin + (end - begin - 1) / 2;
        const AxisRoute route = axis_route(line, 0, node(place.at), node(head));
        loads.add(node(place.at), route);
        most_hops = std::max(most_hops, route.hops);
        open.push_back({head, place.depth + 1,
                        place.extra_us + link.hop_us * (route.hops - 1) + link.overhead_us * served,
                        begin, head, head + 1, end});
        ++served;
      }
      if (place.depth == 0) {
        children = served;
        first_load = wraps ? 1 : served;
      }
      const auto depth = static_cast<std::size_t>(place.depth);
      if (extra_us.size() <= depth) extra_us.resize(depth + 1, 0);
      extra_us[depth] = std::max(extra_us[depth], place.extra_us + link.overhead_us * served);
    }
    (backward ? both_ways_load : load) = backward ? loads.most() / 2.0 : loads.most();
  }
}

BcastModel::BcastModel(const Shape& shape, const LinkModel& link)
    : shape_(shape), link_(link), torus_(link.is_torus(shape)), nodes_(shape.nodes()) {
  LinkModel along = link;
  if (!torus_) along.hop_us = 0;
  link_.hop_us = along.hop_us;
  for (int axis = 0; axis < 3; ++axis) {
    const int extent = shape.extent[axis];
    if (extent == 1) continue;
    ++axes_;
    ways_ += shape.wraps[axis] && extent > 2 ? 2 : 1;
    lines_.emplace_back(extent, shape.wraps[axis], along);
  }
}

BcastModel::Part BcastModel::part_of(std::uint64_t bytes, std::uint64_t segment_bytes,
                                     int streams) const {
  const auto count = static_cast<std::uint64_t>(streams);
  const std::uint64_t part = (bytes + count - 1) / count;
  const std::uint64_t segment = std::clamp<std::uint64_t>(segment_bytes, 1, part);
  return {as_double(part), as_double(segment), static_cast<double>((part + segment - 1) / segment)};
}

bool BcastModel::meets(double part_bytes, int hops) const {
  return part_bytes >
         as_double(eager_limit_bytes(hops, link_.eager_bytes_near, link_.eager_bytes_far));
}

double BcastModel::start_us(double part_bytes, int hops) const {
  return link_.startup_us + (meets(part_bytes, hops) ? link_.rendezvous_us : 0);
}

double BcastModel::windowed_us(double rounds, double cycle_us, double gap_us) const {
  const double window = link_.window;
  const double gap = std::min(gap_us, cycle_us / window);
  const double cycles = std::floor(rounds / window);
  const double left = rounds - cycles * window;
  // The last of a window waits for the first one's end.
  const double waiting = std::max(0.0, left - (window - 1));
  return cycles * cycle_us + (left - waiting) * gap + waiting * (cycle_us - (window - 1) * gap);
}

double BcastModel::tail_us(const Part& part, const Pace& pace) const {
  const double rest = part.bytes - part.segment;
  const double all = part.bytes * pace.streams - part.segment;
  // The streams of one node start one after the other.
  const double stagger_us = link_.overhead_us * pace.node_sends / pace.streams * (pace.streams - 1);
  const double send_us = transfer_us(part.segment);
  const double cycle_us = latency_us(pace.most_hops) + send_us;
  const double lacking_us = transfer_us((part.segments - 1) * part.segment - rest) / link_.window;
  double own_us =
      windowed_us(part.segments - 1, cycle_us, std::max(link_.overhead_us, send_us)) - lacking_us;
  const double processor_us =
      link_.overhead_us * pace.node_sends * (part.segments - 1.0 / pace.streams);
  const double path_us = pace.node_sends / pace.streams * all / link_.path_mbps;
  // Where the path cannot feed all links, segments wait for it and for each other.
  if (link_.path_mbps < pace.node_sends * link_.bandwidth_mbps * 0.99) {
    own_us = both(own_us, path_us, 8);
  }
  own_us += stagger_us;
  const double link_load =
      torus_ ? pace.link_load : std::max(pace.link_load, pace.node_sends / pace.streams);
  return std::max({own_us, processor_us, path_us, transfer_us(link_load * all)});
}

double BcastModel::linear_us(std::uint64_t bytes) const {
  const double sends = static_cast<double>(nodes_ - 1);
  // All messages to other columns leave over the root's links along x, and so on.
  double busiest = torus_ ? 0 : sends;
  std::int64_t before = nodes_;
  for (int axis = 0; torus_ && axis < 3; ++axis) {
    const std::int64_t after = before / shape_.extent[axis];
    const int upwards = shape_.wraps[axis] ? shape_.extent[axis] / 2 : shape_.extent[axis] - 1;
    busiest = std::max(busiest, static_cast<double>(after * upwards));
    before = after;
  }
  // On a ring first all of one way, then all of the other: interfaces wait for the one link.
  if (torus_ && axes_ == 1) busiest = (busiest + sends) / 2;
  const double message_bytes = as_double(bytes);
  // Where the overhead is not known, nothing of the latency is taken to overlap.
  const double one_us =
      link_.overhead_us > 0 ? link_.overhead_us : link_.latency_us + transfer_us(message_bytes);
  const double bottleneck_us =
      std::max({one_us * (sends - 1), transfer_us(message_bytes) * (busiest - 1),
                message_bytes * (sends - 1) / link_.path_mbps});
  // On rings the farthest node is served half way, the last one lies next to the root.
  const int last_hops = std::max(1, hops_between(shape_, link_, 0, static_cast<int>(nodes_ - 1)));
  const double farthest_us = latency_us(std::max(1, diameter_hops(shape_, link_)));
  return start_us(message_bytes, 1) + transfer_us(message_bytes) +
         std::max(latency_us(last_hops) + bottleneck_us, farthest_us + bottleneck_us / 2);
}

double BcastModel::binomial_us(std::uint64_t bytes, std::uint64_t segment_bytes) const {
  const Part part = part_of(bytes, segment_bytes, 1);
  const int rounds = ceil_log2(nodes_);
  const double send_us = transfer_us(part.segment);
  const auto way_from = [&](std::int64_t from, std::int64_t to) {
    return torus_ ? first_way(shape_, static_cast<int>(from), static_cast<int>(to)) : 0;
  };
  std::vector<int> first_links(kLinksPerNode, 0);
  Pace pace;
  pace.node_sends = rounds;
  for (int round = 0; round < rounds; ++round) {
    const int child = 1 << round;
    if (torus_) pace.most_hops = std::max(pace.most_hops, hops_between(shape_, link_, 0, child));
    ++first_links[static_cast<std::size_t>(way_from(0, child))];
  }
  // The farthest first, so the last one to have it is a node with many bits set: as many of the
  // highest ones as the number of nodes has, then 0 where that has 1, then 1.
  const std::int64_t end = torus_ ? nodes_ : std::int64_t{1} << rounds;
  double fill_us = 0;
  for (int zero = 0; zero <= rounds; ++zero) {
    if ((end >> zero & 1) == 0) continue;
    const std::int64_t ones = (std::int64_t{1} << zero) - 1;
    const std::int64_t last = (end & ~((ones << 1) + 1)) + ones;
    int node = 0;
    double path_us = 0;
    if (zero > 0 && end - 1 > last) {  // a sibling is served before
      const std::int64_t parent = end & ~((ones << 1) + 1);
      const bool same_way =
          way_from(parent, parent + ones + 1) == way_from(parent, parent + (ones + 1) / 2);
      path_us = same_way ? std::max(link_.overhead_us, send_us) : link_.overhead_us;
    }
    for (int bit = rounds - 1; bit >= 0; --bit) {
      if ((last >> bit & 1) == 0) continue;
      const int child = node + (1 << bit);
      path_us += latency_us(torus_ ? hops_between(shape_, link_, node, child) : 1) + send_us;
      node = child;
    }
    fill_us = std::max(fill_us, path_us);
  }
  pace.link_load = *std::max_element(first_links.begin(), first_links.end());
  return start_us(part.bytes, 1) + fill_us + tail_us(part, pace);
}

double BcastModel::binary_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool split) const {
  const Part part = part_of(bytes, segment_bytes, split ? 2 : 1);
  const int depth = std::max(1, floor_log2(split ? nodes_ / 2 + 1 : nodes_));
  Pace pace;
  pace.streams = split ? 2 : 1;
  pace.node_sends = split ? 3 : 2;
  double hops = 1;
  if (torus_) {
    // On a line node v sends over v + 1 links; half of all edges lie over the middle one.
    double cut = 0;  // nodes of an axis for each link over its middle, one way
    for (int axis = 0; axis < 3; ++axis) {
      cut = std::max(cut, shape_.extent[axis] / (shape_.wraps[axis] ? 4.0 : 2.0));
    }
    pace.link_load = std::max(1.0, axes_ == 1 ? static_cast<double>(nodes_) / 2 : cut);
    pace.most_hops = std::max(1, diameter_hops(shape_, link_) / (axes_ == 1 ? 1 : 2));
    hops = std::max(1.0, diameter_hops(shape_, link_) / 2.0);
  }
  const double step_us = link_.latency_us + link_.hop_us * (hops - 1) + link_.overhead_us +
                         (torus_ ? 1 : 2) * transfer_us(part.segment);
  const double swap_us =
      split ? latency_us(static_cast<int>(hops)) + transfer_us(part.bytes) * pace.link_load / 2 : 0;
  return start_us(part.bytes, 1) + depth * step_us + tail_us(part, pace) + swap_us;
}

double BcastModel::scattered_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool ring) const {
  const double all_us =
      transfer_us(as_double(bytes)) * static_cast<double>(nodes_ - 1) / static_cast<double>(nodes_);
  const int log = ceil_log2(nodes_);
  const double farthest =
      torus_ ? latency_us(std::max(1, diameter_hops(shape_, link_) / 2)) : link_.latency_us;
  const double ring_us = static_cast<double>(nodes_ - 1) * link_.latency_us + all_us;
  double doubling_us = log * farthest + all_us;
  if (torus_) {
    // The halves that meet last lie half the shape apart, and share its links.
    const int longest = *std::max_element(shape_.extent, shape_.extent + 3);
    doubling_us = log * farthest + all_us * std::max(1.0, longest / 4.0);
  }
  // On a torus the ring's blocks wait for the scatter's segments, whose routes lie over all links.
  const double blocked_us =
      torus_ ? 1.2 * all_us * std::ceil(as_double(bytes) / 2 / as_double(segment_bytes)) : 0;
  return start_us(as_double(bytes) / 2, 1) + log * farthest + all_us +
         (ring ? ring_us + blocked_us : doubling_us);
}

double BcastModel::chain_us(std::uint64_t bytes, std::uint64_t segment_bytes) const {
  const Part part = part_of(bytes, segment_bytes, 1);
  return start_us(part.bytes, 1) +
         static_cast<double>(nodes_ - 1) * (link_.latency_us + transfer_us(part.segment)) +
         tail_us(part, Pace{});
}

double BcastModel::trinary_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool six) const {
  const int trees = six ? ways_ : axes_;
  const int streams =
      static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(trees), bytes));
  const Part part = part_of(bytes, segment_bytes, streams);
  int depth = six ? 0 : trinary_depth(shape_);
  int longest = 1;
  int sum = 0;
  for (int extent : shape_.extent) {
    if (six) depth += extent - 1;
    if (extent == 1) continue;
    sum += extent;
    longest = std::max(longest, extent);
  }
  Pace pace;
  pace.streams = streams;
  // A node has as many children as trees in all. Where there are as many trees as axes, one more
  // layer is filled; where rings and lines meet, all links of some nodes are used.
  const bool is_mixed = trees > axes_ && trees < 2 * axes_;
  pace.node_sends = axes_ == 1       ? streams
                    : is_mixed       ? 2 * axes_
                    : trees == axes_ ? axes_ + 1
                                     : streams;
  pace.link_load = 1.0 / streams;  // no two trees share a link
  // Where the trees branch, nodes serve several children, and several trees at once.
  const double branching_us = link_.overhead_us * (axes_ - 1) * (sum - longest);
  return start_us(part.bytes, 1) + depth * (link_.latency_us + transfer_us(part.segment)) +
         branching_us + tail_us(part, pace);
}

double BcastModel::bintree_us(std::uint64_t bytes, std::uint64_t segment_bytes, bool six) const {
  const int trees = six && nodes_ > 2 ? 2 * axes_ : 1;
  const int streams =
      static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(trees), bytes));
  const Part part = part_of(bytes, segment_bytes, streams);
  const double send_us = transfer_us(part.segment);
  const double step_us = link_.latency_us + send_us;
  double fill_us = 0;
  double busiest_axis_us = 0;
  double shortest_axis_us = std::numeric_limits<double>::infinity();
  double load = 0;
  int most_hops = 1;
  int children = 0;
  int first_load = 1;
  for (const LineTreeCost& line : lines_) {
    const double axis_us = line.fill_us(step_us, streams > 1);
    fill_us += axis_us;
    shortest_axis_us = std::min(shortest_axis_us, axis_us);
    children += line.children;
    most_hops = std::max(most_hops, line.most_hops);
    first_load = std::max(first_load, line.first_load);
    const double own = streams > 1 ? line.both_ways_load : line.load;
    if (own > load) {
      load = own;
      busiest_axis_us = axis_us;
    }
  }
  const double all = part.bytes * streams;
  const double stagger_us =
      (streams - 1) * std::max(link_.overhead_us * children, torus_ ? send_us : children * send_us);
  if (!torus_) load = children;

  const double start = start_us(part.bytes, most_hops);
  const double cycle_us = latency_us(most_hops) + send_us;
  const double own_round_us = cycle_us / link_.window;
  const double link_round_us = load * streams * send_us;
  const double round_us = both(own_round_us, link_round_us, 4);
  const double rounds = part.bytes / part.segment - 1;
  const double first_us = fill_us + stagger_us;
  const double own_us =
      windowed_us(rounds, cycle_us, std::max(link_.overhead_us * streams, send_us));
  double time_us = first_us + own_us * round_us / own_round_us;
  if (link_round_us > own_round_us) {
    // The busiest link begins with the shallowest edge over it and ends with the deepest; as long
    // as only the shallow ones are at work, it waits for them.
    const double two_steps_us = 2 * step_us + link_.hop_us * (most_hops - 1);
    // Where many segments with long routes are under way, they block each other also where the link
    // that they wait for is not the busiest; and on three axes the trees meet off their own lines.
    const double blocked = most_hops / 3840.0;
    const double blocking = 1 + blocked * std::max(0.0, 1 - 4 / (rounds + 1));
    double meeting_us = axes_ == 3 ? streams / 2 * send_us : 0;
    if (ways_ == axes_) {
      // Without rings all streams start over the same links of the root. The factor is fitted to
      // the simulator.
      meeting_us += 0.6 * streams * (axes_ - 1) * link_.window * link_.window * send_us *
                    std::max(0.0, 1 - 4 / (rounds + 1));
    }
    const double used = std::min(1.0, streams * send_us / own_round_us);
    double link_us = fill_us - busiest_axis_us + two_steps_us +
                     std::max(0.0, busiest_axis_us - two_steps_us) * std::pow(1 - used, 1.5) +
                     transfer_us(load * all) * round_us / link_round_us * blocking + meeting_us;
    // One segment of each stream leaves the root by a line last where other axes are behind it.
    // Without this the choice on 6mx6x6 loses up to 8 % in the simulator, with it 2 %.
    if (axes_ == 3 && ways_ > axes_ && ways_ < 2 * axes_) {
      link_us -= shortest_axis_us * std::max(0.0, 1 - rounds);
    }
    // Few segments pass without meeting: on a line all of them, on a torus fewer.
    time_us = first_us + rounds * round_us * (1 + blocked);
    if (link_us > time_us) link_us = time_us + (link_us - time_us) * (axes_ - 1) / 2;
    time_us = std::max(first_us + own_us, link_us);
  }
  if (torus_ && first_load > 1 && (ways_ == axes_ || axes_ == 2)) {
    // All that the root sends along an axis goes over one link, the last segment too. Where
    // messages wait for their receivers, one of the other way is then before that segment once
    // more; on a line the two ways also meet below.
    const bool both_meet = streams > 1 && meets(part.bytes, most_hops);
    const double busiest = both_meet && axes_ == 1 ? load : first_load;
    const double met_us = both_meet && axes_ > 1 ? send_us : 0;
    time_us = std::max(time_us, transfer_us(busiest * all) - send_us + fill_us + met_us);
  }
  const double processor_us = link_.overhead_us * children * (part.segments * streams - 1);
  const double path_us = children * (all - part.segment) / link_.path_mbps;
  return start + std::max({time_us, fill_us + processor_us, fill_us + path_us});
}

std::optional<double> BcastModel::time_us(std::string_view algorithm, std::uint64_t bytes,
                                          std::uint64_t segment_bytes) const {
  if (nodes_ <= 1 || bytes == 0) return 0.0;
  if (algorithm == "linear") return linear_us(bytes);
  if (algorithm == "binomial") return binomial_us(bytes, segment_bytes);
  if (algorithm == "chain" || algorithm == "pipeline") return chain_us(bytes, segment_bytes);
  if (algorithm == "binary") return binary_us(bytes, segment_bytes, false);
  if (algorithm == "splitbinary") return binary_us(bytes, segment_bytes, true);
  if (algorithm == "rdaas") return scattered_us(bytes, segment_bytes, false);
  if (algorithm == "ring") return scattered_us(bytes, segment_bytes, true);
  if (algorithm == "trinaryx3") return trinary_us(bytes, segment_bytes, false);
  if (algorithm == "trinaryx6") return trinary_us(bytes, segment_bytes, true);
  if (algorithm == "bintree3d") return bintree_us(bytes, segment_bytes, false);
  if (algorithm == "bintree6d") return bintree_us(bytes, segment_bytes, true);
  return std::nullopt;
}

std::optional<double> bcast_us(std::string_view algorithm, const Shape& shape, std::uint64_t bytes,
                               std::uint64_t segment_bytes, const LinkModel& link) {
  return BcastModel(shape, link).time_us(algorithm, bytes, segment_bytes);
}

}  // namespace mpiactor::inter
