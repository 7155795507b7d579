// Interfaces and links of the modelled machine: who occupies what until when.
#ifndef MPIACTOR_SIM_NETWORK_H_
#define MPIACTOR_SIM_NETWORK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "inter/plan.h"
#include "sim/fetch_ahead.h"
#include "sim/machine.h"

namespace mpiactor::sim {

// Of its node: LinkId modulo kMostLinksPerNode; the node's place: LinkId divided by it.
using LinkId = std::uint32_t;
inline constexpr std::uint32_t kMostLinksPerNode = 6;

// The directed links from node to node: on a torus or mesh dimension-ordered (x, then y, then z),
// the shorter way round where an axis wraps, upwards where both are equally long.
// On a switch: the sender's link into it and the receiver's link out of it.
class Topology {
 public:
  // `places`: the physical node of every node, see placement.h; empty: each its own. Nodes may
  // have one place in common: ranks of one machine's node that take part each for itself.
  Topology(NetworkKind kind, const inter::Shape& physical, std::vector<std::uint32_t> places = {});

  // Nodes of the network; a part of them may be without a plan.
  std::size_t places() const { return static_cast<std::size_t>(shape_.nodes()); }
  std::uint32_t place(std::uint32_t node) const { return places_.empty() ? node : places_[node]; }
  // Whether any two nodes have one place in common.
  bool shares_places() const { return shares_places_; }
  // 0 between nodes of one place.
  int hops(std::uint32_t from, std::uint32_t to) const;
  // Overwrites `route`.
  void route(std::uint32_t from, std::uint32_t to, std::vector<LinkId>* route) const;

 private:
  // Steps along one axis, negative where the way goes downwards.
  int steps(int axis, int from, int to) const;
  int coordinate(int axis, std::uint32_t node) const {
    return static_cast<int>(node / stride_[axis]) % shape_.extent[axis];
  }

  NetworkKind kind_;
  inter::Shape shape_;
  std::vector<std::uint32_t> places_;
  bool shares_places_ = false;
  std::uint32_t stride_[3];
};

struct LinkStatistics {
  std::size_t used = 0;           // links that carried anything
  std::uint64_t total_bytes = 0;  // over all links; a message counts on each link of its route
  std::uint64_t most_bytes = 0;   // over the busiest link
  double mean_utilization = 0;    // of the used links, 0 to 1 of the run's time
  double peak_utilization = 0;    // of the busiest link
};

// Links and interfaces serve first come, first served, and are described by the time until which
// they are taken. The head of a message moves on when the next link is free (on a route of one
// link, also an interface of the receiver), the rest follows like a worm: every link of the route
// is taken for the time of the bytes, each a hop later than the one before, later still where the
// head had to wait; where it waits, the routers hold what has left the sender (virtual
// cut-through). What comes later cannot slip in before it.
// The path between a node's interfaces and its memory is shared: a message takes longer than on
// its link alone where the path has more to carry.
// Nodes of one place share its interfaces, path and links; each has a processor of its own. What
// one of them sends another goes through the place's memory: the sender's processor copies it.
class Network {
 public:
  Network(const Machine& machine, Topology topology, std::size_t nodes, std::uint64_t usual_bytes);

  const Topology& topology() const { return topology_; }

  // The sender's processor turns to a message at `now`, or when it is done with earlier ones;
  // returns when it has handed it to the interfaces.
  Picoseconds hand_over(std::uint32_t from, Picoseconds now) {
    Port& port = nodes_[from].out;
    port.processor = std::max(port.processor, now) + machine_.send_overhead_ps;
    return port.processor;
  }
  Picoseconds interface_free_at(std::uint32_t from) const {
    return earliest_interface(host(from).out);
  }
  // Sends `bytes` over one link, not before `ready`; returns when the last byte reaches the
  // receiver. An interface should be free by then: what is sent here takes its place on the links
  // at once, so a message that has long to wait for its turn should not be sent yet.
  Picoseconds send_over_link(std::uint32_t from, std::uint32_t to, LinkId link, std::uint64_t bytes,
                             Picoseconds ready);
  // Likewise over any route.
  Picoseconds send_over_route(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                              Picoseconds ready);

  // Likewise to a node of the same place.
  Picoseconds send_over_memory(std::uint32_t from, std::uint64_t bytes, Picoseconds ready);

  // Hints at what will be used soon.
  void prefetch_sending(std::uint32_t node) const { fetch_ahead(&host(node).out); }
  void prefetch_receiving(std::uint32_t node) const { fetch_ahead(&host(node).in); }
  void prefetch_link(LinkId link) const { fetch_ahead(&link_of(link)); }

  LinkStatistics link_statistics(Picoseconds duration) const;

 private:
  struct Link {
    Picoseconds taken_until = 0;
    std::uint64_t bytes = 0;
  };
  struct Cost {
    Picoseconds link = 0;
    Picoseconds path = 0;
  };
  // One direction of a node, one cache line.
  struct alignas(64) Port {
    std::array<Picoseconds, kMostInterfaces> interfaces;
    Picoseconds path = 0;
    Picoseconds processor = 0;  // of the sending direction
  };
  // What a message's way out of a node touches lies side by side: with 10^5 nodes, finding a page
  // of memory costs more than reading from it.
  struct Node {
    Port out;
    Port in;
    std::array<Link, kMostLinksPerNode> links;
    Picoseconds memory = 0;  // of the place, until when ranks' messages to each other take it
  };

  // Whose interfaces a node uses.
  Node& host(std::uint32_t node) {
    return nodes_[topology_.shares_places() ? topology_.place(node) : node];
  }
  const Node& host(std::uint32_t node) const {
    return nodes_[topology_.shares_places() ? topology_.place(node) : node];
  }
  Link& link_of(LinkId id) { return nodes_[id / kMostLinksPerNode].links[id % kMostLinksPerNode]; }
  const Link& link_of(LinkId id) const {
    return nodes_[id / kMostLinksPerNode].links[id % kMostLinksPerNode];
  }
  static Picoseconds earliest_interface(const Port& port);
  // Of the interfaces that are free at `start`, the one that was taken last, so that the others
  // stay free for messages that could start before.
  static Picoseconds* best_interface(Port* port, Picoseconds start);
  // Lets a message through a path from `ready` on and returns when it is through.
  static Picoseconds pass(Picoseconds* path, Picoseconds ready, const Cost& message);

  Cost compute_cost(std::uint64_t bytes) const;
  Cost cost(std::uint64_t bytes) const {
    return bytes == usual_bytes_ ? usual_cost_ : compute_cost(bytes);
  }

  const Machine& machine_;
  Topology topology_;
  std::uint64_t usual_bytes_;
  Cost usual_cost_;
  std::vector<Node> nodes_;  // by node; their links by place, and where places are shared all else
  std::vector<LinkId> route_;  // scratch
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_NETWORK_H_
