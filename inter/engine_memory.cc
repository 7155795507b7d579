#include "inter/engine_memory.h"

#include <algorithm>

#include "inter/engine.h"

namespace mpiactor::inter {

std::uint64_t intake_bytes(const PlanOp& op, std::uint64_t segment_bytes, int window) {
  if (op.is_strided()) return op.bytes;
  if (!op.takes_ahead()) return 0;
  return std::min(op.bytes, static_cast<std::uint64_t>(window) * segment_bytes);
}

std::uint64_t engine_bytes(const Plan& plan, std::uint64_t segment_bytes, int window) {
  std::uint64_t bytes = sizeof(Engine);
  for (const PlanOp& op : plan.ops) {
    bytes += Engine::kOperationBytes + intake_bytes(op, segment_bytes, window);
    const std::uint64_t segments = op.is_strided() ? 1 : (op.bytes - 1) / segment_bytes + 1;
    bytes += std::min<std::uint64_t>(segments, static_cast<std::uint64_t>(window)) *
             Engine::kFlightBytes;
  }
  return bytes;
}

}  // namespace mpiactor::inter
