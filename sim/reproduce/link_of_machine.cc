#include "sim/reproduce/link_of_machine.h"

namespace mpiactor::sim {
namespace {

double microseconds(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kPicosecondsPerMicrosecond);
}

}  // namespace

inter::LinkModel link_of(const Machine& machine) {
  inter::LinkModel link;
  link.latency_us = microseconds(machine.latency_ps(1));
  link.bandwidth_mbps = machine.link_mbps;
  link.reduce_mbps = machine.reduce_mbps;
  link.network = machine.network == NetworkKind::kTorus ? inter::NetworkKind::kTorus
                                                        : inter::NetworkKind::kSwitch;
  link.hop_us = microseconds(machine.hop_ps);
  link.overhead_us = microseconds(machine.send_overhead_ps);
  link.startup_us = microseconds(machine.startup_ps);
  link.rendezvous_us = microseconds(machine.rendezvous_ps);
  link.eager_bytes_near = machine.eager_bytes_1_hop;
  link.eager_bytes_far = machine.eager_bytes_40_hops;
  link.path_mbps = machine.path_mbps;
  link.window = machine.window;
  return link;
}

}  // namespace mpiactor::sim
