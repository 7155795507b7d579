#include "sim/reproduce/steady_state.h"

#include <algorithm>
#include <string_view>

namespace mpiactor::sim {
namespace {

constexpr std::uint64_t kFewestSegments = 16;
constexpr std::uint64_t kFewestOnFewNodes = 48;  // which cost little
constexpr std::int64_t kFewNodes = 1000;

bool goes_along_trees(const inter::Algorithm& algorithm) {
  const std::string_view name = algorithm.name;
  return name != "rdaas" && name != "ring";
}

}  // namespace

std::uint64_t settling_segments(const Machine& machine, const inter::Shape& shape,
                                std::uint64_t segment_bytes) {
  const std::uint64_t eager = std::max(machine.eager_bytes_1_hop, machine.eager_bytes_40_hops);
  return std::max(shape.nodes() <= kFewNodes ? kFewestOnFewNodes : kFewestSegments,
                  eager / segment_bytes + 1);
}

SteadyBroadcasts::SteadyBroadcasts(const Machine& machine, const inter::Shape& shape) {
  input_.machine = machine;
  input_.shape = shape;
}

double SteadyBroadcasts::simulated_us(const inter::Algorithm& algorithm, std::uint64_t bytes,
                                      std::uint64_t segment_bytes) {
  const Key key{algorithm.name, bytes, segment_bytes};
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  CollectiveInput input = input_;
  input.algorithm = algorithm;
  input.bytes = bytes;
  input.segment_bytes = segment_bytes;
  const double time_us = static_cast<double>(run_collective(input).end) /
                         static_cast<double>(kPicosecondsPerMicrosecond);
  const std::lock_guard lock(mutex_);
  known_.emplace(key, time_us);
  return time_us;
}

double SteadyBroadcasts::time_us(const inter::Algorithm& algorithm, std::uint64_t bytes,
                                 std::uint64_t segment_bytes) {
  const auto streams = static_cast<std::uint64_t>(std::max(1, algorithm.streams(input_.shape)));
  const std::uint64_t segments = bytes / streams / segment_bytes;
  const std::uint64_t settled = settling_segments(input_.machine, input_.shape, segment_bytes);
  if (segments <= 2 * settled || !goes_along_trees(algorithm)) {
    return simulated_us(algorithm, bytes, segment_bytes);
  }
  const std::uint64_t left_out = segments - 2 * settled;
  const std::uint64_t longer = bytes - left_out * streams * segment_bytes;
  const double longer_us = simulated_us(algorithm, longer, segment_bytes);
  const double shorter_us =
      simulated_us(algorithm, longer - settled * streams * segment_bytes, segment_bytes);
  return longer_us +
         (longer_us - shorter_us) / static_cast<double>(settled) * static_cast<double>(left_out);
}

}  // namespace mpiactor::sim
