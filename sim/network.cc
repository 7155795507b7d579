#include "sim/network.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace mpiactor::sim {
namespace {

constexpr double kPicosecondsPerByteAtOneMbps = 1e6;
constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

// Until when something must be free at the sender so that it is free `shift` later.
Picoseconds before(Picoseconds time, Picoseconds shift) { return time > shift ? time - shift : 0; }

}  // namespace

Topology::Topology(NetworkKind kind, const inter::Shape& physical,
                   std::vector<std::uint32_t> places)
    : kind_(kind),
      shape_(physical),
      places_(std::move(places)),
      stride_{1, static_cast<std::uint32_t>(physical.extent[0]),
              static_cast<std::uint32_t>(physical.extent[0] * physical.extent[1])} {
  std::vector<std::uint32_t> sorted = places_;
  std::sort(sorted.begin(), sorted.end());
  shares_places_ = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

int Topology::steps(int axis, int from, int to) const {
  const int extent = shape_.extent[axis];
  const int direct = to - from;
  if (!shape_.wraps[axis]) return direct;
  const int upwards = direct >= 0 ? direct : direct + extent;
  return upwards <= extent - upwards ? upwards : upwards - extent;
}

int Topology::hops(std::uint32_t from, std::uint32_t to) const {
  if (kind_ == NetworkKind::kSwitch) return place(from) == place(to) ? 0 : 2;
  int total = 0;
  for (int axis = 0; axis < 3; ++axis) {
    total += std::abs(steps(axis, coordinate(axis, place(from)), coordinate(axis, place(to))));
  }
  return total;
}

void Topology::route(std::uint32_t from, std::uint32_t to, std::vector<LinkId>* route) const {
  route->clear();
  if (kind_ == NetworkKind::kSwitch) {
    if (place(from) == place(to)) return;
    *route = {place(from) * kMostLinksPerNode, place(to) * kMostLinksPerNode + 1};
    return;
  }
  std::uint32_t node = place(from);
  for (int axis = 0; axis < 3; ++axis) {
    const int extent = shape_.extent[axis];
    int position = coordinate(axis, place(from));
    const int way = steps(axis, position, coordinate(axis, place(to)));
    const bool downwards = way < 0;
    for (int step = 0; step < std::abs(way); ++step) {
      route->push_back(node * kMostLinksPerNode + static_cast<std::uint32_t>(2 * axis) +
                       (downwards ? 1 : 0));
      const int next = (position + (downwards ? extent - 1 : 1)) % extent;
      node += static_cast<std::uint32_t>(next - position) * stride_[axis];
      position = next;
    }
  }
}

Network::Network(const Machine& machine, Topology topology, std::size_t nodes,
                 std::uint64_t usual_bytes)
    : machine_(machine),
      topology_(std::move(topology)),
      usual_bytes_(usual_bytes),
      usual_cost_(compute_cost(usual_bytes)),
      nodes_(std::max(nodes, topology_.places())) {
  // An interface that the machine does not have is never free.
  Port port;
  port.interfaces.fill(kNever);
  std::fill_n(port.interfaces.begin(), machine.interfaces, 0);
  std::fill(nodes_.begin(), nodes_.end(), Node{port, port, {}, 0});
}

Network::Cost Network::compute_cost(std::uint64_t bytes) const {
  const double scaled = static_cast<double>(bytes) * kPicosecondsPerByteAtOneMbps;
  return {static_cast<Picoseconds>(std::llround(scaled / machine_.link_mbps)),
          static_cast<Picoseconds>(std::llround(scaled / machine_.path_mbps))};
}

Picoseconds Network::earliest_interface(const Port& port) {
  return *std::min_element(port.interfaces.begin(), port.interfaces.end());
}

Picoseconds* Network::best_interface(Port* port, Picoseconds start) {
  Picoseconds* best = nullptr;
  for (Picoseconds& interface : port->interfaces) {
    if (interface <= start && (best == nullptr || interface > *best)) best = &interface;
  }
  return best;
}

Picoseconds Network::pass(Picoseconds* path, Picoseconds ready, const Cost& message) {
  *path = std::max(*path, ready) + message.path;
  return *path;
}

Picoseconds Network::send_over_link(std::uint32_t from, std::uint32_t to, LinkId link,
                                    std::uint64_t bytes, Picoseconds ready) {
  const Cost message = cost(bytes);
  const Picoseconds hop = machine_.hop_ps;
  Port& out = host(from).out;
  Port& in = host(to).in;
  Link& only = link_of(link);
  const Picoseconds start = std::max(
      {ready, only.taken_until, earliest_interface(out), before(earliest_interface(in), hop)});
  const Picoseconds end = std::max(start + message.link, pass(&out.path, ready, message));
  const Picoseconds there = std::max(end + hop, pass(&in.path, ready, message));
  *best_interface(&out, start) = end;
  *best_interface(&in, start + hop) = there;
  only.taken_until = end;
  only.bytes += bytes;
  return there;
}

Picoseconds Network::send_over_route(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                                     Picoseconds ready) {
  const Cost message = cost(bytes);
  Port& out = host(from).out;
  Port& in = host(to).in;
  topology_.route(from, to, &route_);
  const Picoseconds start =
      std::max({ready, earliest_interface(out), link_of(route_.front()).taken_until});
  const Picoseconds duration =
      std::max(start + message.link, pass(&out.path, ready, message)) - start;

  Picoseconds head = start;
  for (const LinkId id : route_) {
    Link& link = link_of(id);
    head = std::max(head, link.taken_until);
    link.taken_until = head + duration;
    link.bytes += bytes;
    head += machine_.hop_ps;
  }
  head = std::max(head, earliest_interface(in));
  const Picoseconds there = std::max(head + duration, pass(&in.path, ready, message));
  *best_interface(&out, start) = start + duration;
  *best_interface(&in, head) = there;
  return there;
}

Picoseconds Network::send_over_memory(std::uint32_t from, std::uint64_t bytes, Picoseconds ready) {
  const auto time = [bytes](double ps_per_byte) {
    return static_cast<Picoseconds>(std::llround(static_cast<double>(bytes) * ps_per_byte));
  };
  const Cost copy = {.link = time(machine_.copy_ps_per_byte(1)),
                     .path = time(kPicosecondsPerByteAtOneMbps / machine_.memory_mbps)};
  const Picoseconds there = std::max(ready + copy.link, pass(&host(from).memory, ready, copy));
  Picoseconds& processor = nodes_[from].out.processor;
  processor = std::max(processor, there);
  return there;
}

LinkStatistics Network::link_statistics(Picoseconds duration) const {
  LinkStatistics statistics;
  for (const Node& node : nodes_) {
    for (const Link& link : node.links) {
      if (link.bytes == 0) continue;
      ++statistics.used;
      statistics.total_bytes += link.bytes;
      statistics.most_bytes = std::max(statistics.most_bytes, link.bytes);
    }
  }
  if (statistics.used == 0 || duration == 0) return statistics;
  const double per_byte =
      kPicosecondsPerByteAtOneMbps / machine_.link_mbps / static_cast<double>(duration);
  statistics.peak_utilization = static_cast<double>(statistics.most_bytes) * per_byte;
  statistics.mean_utilization =
      static_cast<double>(statistics.total_bytes) / static_cast<double>(statistics.used) * per_byte;
  return statistics;
}

}  // namespace mpiactor::sim
