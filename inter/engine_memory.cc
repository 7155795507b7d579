#include "inter/engine_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "inter/engine.h"
#include "inter/peer_buffers.h"

namespace mpiactor::inter {

std::uint64_t intake_bytes(const PlanOp& op, std::uint64_t segment_bytes, int window) {
  if (op.is_strided()) return op.bytes;
  if (!op.takes_ahead()) return 0;
  return std::min(op.bytes, static_cast<std::uint64_t>(window) * segment_bytes);
}

namespace {

// Of an operation with so many segments under way.
std::uint64_t operation_bytes(const PlanOp& op, std::uint64_t segment_bytes, int window) {
  const std::uint64_t segments = op.is_strided() ? 1 : (op.bytes - 1) / segment_bytes + 1;
  return Engine::operation_bytes() + intake_bytes(op, segment_bytes, window) +
         std::min(segments, static_cast<std::uint64_t>(window)) * Engine::flight_bytes();
}

}  // namespace

std::uint64_t engine_bytes(const Plan& plan, std::uint64_t segment_bytes, int window,
                           int large_peers) {
  std::uint64_t bytes = sizeof(Engine);
  std::map<int, std::uint64_t> more_if_large;
  for (const PlanOp& op : plan.ops) {
    const std::uint64_t large = operation_bytes(op, segment_bytes, window);
    if (large_peers == PeerPolicy::kAllPeers || op.kind != OpKind::kReceiveReduce) {
      bytes += large;
    } else {
      const std::uint64_t small = operation_bytes(op, segment_bytes, 1);
      bytes += small;
      more_if_large[op.peer] += large - small;
    }
  }
  std::vector<std::uint64_t> more;
  for (const auto& [peer, of_peer] : more_if_large) more.push_back(of_peer);
  std::sort(more.rbegin(), more.rend());
  if (large_peers >= 0 && std::cmp_less(large_peers, more.size())) {
    more.resize(static_cast<std::size_t>(large_peers));
  }
  return std::accumulate(more.begin(), more.end(), bytes);
}

}  // namespace mpiactor::inter
