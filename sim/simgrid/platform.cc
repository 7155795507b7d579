#include "sim/simgrid/platform.h"

#include <fmt/format.h>

#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

namespace mpiactor::sim {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kBytesPerMegabyte = 1e6;
constexpr const char* kHostSpeed = "1Gf";  // nothing is computed
constexpr int kDirections = 6;             // links out of a node

double seconds(Picoseconds time) { return static_cast<double>(time) * 1e-12; }

void require(bool holds, const Machine& machine, const std::string& what) {
  if (!holds) {
    throw InputError(fmt::format("machine {} cannot be shown in SimGrid: {}", machine.name, what));
  }
}

}  // namespace

void check_for_simgrid(const Machine& machine, const inter::Shape& shape) {
  require(machine.network == NetworkKind::kTorus, machine, "network is a switch; allowed: torus");
  require(machine.eager_bytes_1_hop == 0 && machine.eager_bytes_40_hops == 0, machine,
          fmt::format("eager_bytes are {} and {}; allowed: 0", machine.eager_bytes_1_hop,
                      machine.eager_bytes_40_hops));
  require(machine.interfaces >= kDirections, machine,
          fmt::format("interfaces are {}; allowed: {}", machine.interfaces, kDirections));
  require(machine.path_mbps >= machine.link_mbps * kDirections, machine,
          fmt::format("path_mbps is {}; allowed: at least {}, all links at once", machine.path_mbps,
                      machine.link_mbps * kDirections));
  require(machine.hop_ps > 0, machine, "hop_ns is 0; allowed: more");
  for (int axis = 0; axis < 3; ++axis) {
    require(shape.wraps[axis] || shape.extent[axis] == 1, machine,
            fmt::format("axis {} does not wrap around; allowed: tori", axis));
  }
}

void configure_simgrid(const Machine& machine) {
  const auto set = [](const std::string& option) { s4u::Engine::set_config(option); };
  // Latencies add, a link's bandwidth is shared by the messages on it, nothing else.
  set("network/model:CM02");
  set("network/crosstraffic:no");
  // Times here are below the default of what counts as nothing.
  set("surf/precision:1e-12");
  // The processors that run this are not the machine's.
  set("smpi/simulate-computation:no");
  set(fmt::format("smpi/host-speed:{}", kHostSpeed));
  // A send ends when its receiver has the bytes, however few they are.
  set("smpi/async-small-thresh:0");
  set("smpi/send-is-detached-thresh:0");
  set(fmt::format("smpi/ois:0:{:.12f}:0", seconds(machine.send_overhead_ps)));
  // Ranks need little stack; there are many.
  set("contexts/stack-size:128");
}

std::string host_name(unsigned long node) { return fmt::format("node-{}", node); }

void add_torus(const Machine& machine, const inter::Shape& shape) {
  using Coordinates = std::vector<unsigned long>;
  const auto add_host = [](s4u::NetZone* zone, const Coordinates&, unsigned long node) {
    s4u::Host* const host = zone->create_host(host_name(node), kHostSpeed);
    host->seal();
    return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
        host->get_netpoint(), nullptr);
  };
  Coordinates extents;
  for (const int extent : shape.extent) extents.push_back(static_cast<unsigned long>(extent));
  s4u::NetZone* const torus =
      s4u::create_torus_zone("torus", nullptr, extents, s4u::ClusterCallbacks(add_host),
                             machine.link_mbps * kBytesPerMegabyte, seconds(machine.hop_ps),
                             s4u::Link::SharingPolicy::SPLITDUPLEX);
  torus->seal();
  // SimGrid adds up the latencies of links and multiplies the sum.
  const double of_message = seconds(machine.wire_latency_ps + machine.receive_overhead_ps);
  const double of_hop = seconds(machine.hop_ps);
  torus->get_network_model()->set_lat_factor_cb([=](double, const s4u::Host*, const s4u::Host*,
                                                    const std::vector<s4u::Link*>& links,
                                                    const std::unordered_set<s4u::NetZone*>&) {
    return 1 + of_message / (of_hop * static_cast<double>(links.size()));
  });
}

}  // namespace mpiactor::sim
