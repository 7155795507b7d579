#include "inter/cost_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mpiactor::inter {
namespace {

constexpr std::uint64_t kSegmentGranuleBytes = 64;  // a cache line

double as_double(std::uint64_t bytes) { return static_cast<double>(bytes); }

double transfer_us(const LinkModel& link, double bytes) { return bytes / link.bandwidth_mbps; }

int axes_longer_than_one(const Shape& shape) {
  const auto count = std::count_if(shape.extent, shape.extent + 3, [](int n) { return n > 1; });
  return static_cast<int>(std::max<std::ptrdiff_t>(count, 1));
}

double extent_sum(const Shape& shape) {
  return shape.extent[0] + shape.extent[1] + shape.extent[2];
}

int floor_log2(std::int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

int ceil_log2(std::int64_t value) { return value <= 1 ? 0 : floor_log2(value - 1) + 1; }

}  // namespace

double message_us(const LinkModel& link, std::uint64_t bytes) {
  return link.latency_us + transfer_us(link, as_double(bytes));
}

int trinary_depth(const Shape& shape) {
  int depth = axes_longer_than_one(shape) > 1 ? 1 : 0;
  for (int extent : shape.extent) depth += extent - 1;
  return depth;
}

int bintree_depth(const Shape& shape) {
  int depth = 0;
  for (int extent : shape.extent) depth += floor_log2(extent);
  return depth;
}

int bintree_link_load(int extent) {
  int load = 1;
  for (std::int64_t limit = 10; extent >= limit; limit = 4 * limit + 2) ++load;
  return load;
}

double trinaryx3_bcast_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                          const LinkModel& link, double startup_us) {
  const double segment = as_double(segment_bytes);
  const double segments = as_double(bytes) / axes_longer_than_one(shape) / segment;
  const double send_us = transfer_us(link, segment);
  return trinary_depth(shape) * (link.latency_us + send_us) +
         segments * std::max(link.latency_us, send_us) + link.latency_us + startup_us;
}

double trinaryx3_reduce_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                           const LinkModel& link, double reduce_mbps) {
  const int axes = axes_longer_than_one(shape);
  const double segment = as_double(segment_bytes);
  const double segments = as_double(bytes) / axes / segment;
  const double send_us = transfer_us(link, segment);
  const double combine_us = segment / (reduce_mbps / axes);
  return trinary_depth(shape) * (link.latency_us + send_us + combine_us) +
         segments * std::max(link.latency_us + combine_us, send_us) + link.latency_us;
}

double trinaryx3_allreduce_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                              const LinkModel& link, double reduce_mbps, double startup_us) {
  return trinaryx3_reduce_us(shape, bytes, segment_bytes, link, reduce_mbps) +
         trinaryx3_bcast_us(shape, bytes, segment_bytes, link, startup_us);
}

double multi_ring_allgather_us(int nodes, std::uint64_t bytes, const MultiRingModel& model) {
  const double software_us = 4 * model.software_latency_us;
  const double hardware_us = model.hardware_latency_us + as_double(bytes) / model.bandwidth_mbps;
  return 3 * (software_us + hardware_us) + std::max(software_us, hardware_us) * (nodes - 4);
}

double trinaryx6_bcast_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                          const LinkModel& link) {
  const double segments = as_double(bytes) / 6 / as_double(segment_bytes);
  return (extent_sum(shape) + segments - 3) * message_us(link, segment_bytes);
}

double trinaryx6_best_segment_bytes(const Shape& shape, std::uint64_t bytes,
                                    const LinkModel& link) {
  return std::sqrt(link.latency_us * link.bandwidth_mbps * as_double(bytes) /
                   (6 * (extent_sum(shape) - 2)));
}

double bintree3d_bcast_us(const Shape& shape, std::uint64_t bytes, std::uint64_t segment_bytes,
                          const LinkModel& link) {
  const double segments = as_double(bytes) / as_double(segment_bytes);
  return (bintree_depth(shape) + segments - 1) * message_us(link, segment_bytes);
}

double bintree3d_best_segment_bytes(const Shape& shape, std::uint64_t bytes,
                                    const LinkModel& link) {
  const int depth = bintree_depth(shape);
  if (depth <= 1) return as_double(bytes);
  return std::sqrt(link.latency_us * link.bandwidth_mbps * as_double(bytes) / (depth - 1));
}

double alltoall_throughput_mbps(int ranks, int ranks_per_node, std::uint64_t bytes,
                                double time_us) {
  return static_cast<double>(ranks - ranks_per_node) * ranks_per_node * as_double(bytes) / time_us;
}

std::uint64_t eager_limit_bytes(int hops) {
  constexpr std::uint64_t kNearBytes = 18'000;
  constexpr std::uint64_t kFarBytes = 60'000;
  constexpr int kFarHops = 40;
  const auto beyond = static_cast<std::uint64_t>(std::clamp(hops, 1, kFarHops) - 1);
  return kNearBytes + (kFarBytes - kNearBytes) * beyond / (kFarHops - 1);
}

double expected_wait_us(double spread_us) { return spread_us / 6; }

double expected_leader_arrival_us(double spread_us, int members) {
  return spread_us / (members + 1);
}

double pipelined_binomial_us(int nodes, std::uint64_t bytes, const LinkModel& link,
                             double copy_us) {
  return ceil_log2(nodes) * message_us(link, bytes) + copy_us;
}

std::optional<double> bcast_us(std::string_view algorithm, const Shape& shape, std::uint64_t bytes,
                               std::uint64_t segment_bytes, const LinkModel& link) {
  const std::int64_t nodes = shape.nodes();
  const int log = ceil_log2(nodes);
  if (nodes <= 1 || bytes == 0) return 0.0;
  // The first segment goes down `depth` hops, the others follow at the pace of the busiest node.
  auto pipelined = [&](std::int64_t depth, int sends, int streams) {
    const std::uint64_t part =
        (bytes + static_cast<std::uint64_t>(streams) - 1) / static_cast<std::uint64_t>(streams);
    const std::uint64_t segment = std::min(segment_bytes, part);
    const double segments = std::ceil(as_double(part) / as_double(segment));
    const double step_us = link.latency_us + sends * transfer_us(link, as_double(segment));
    return (static_cast<double>(depth) + segments - 1) * step_us;
  };
  auto scattered = [&](std::int64_t steps) {
    return static_cast<double>(steps) * link.latency_us + 2 * transfer_us(link, as_double(bytes)) *
                                                              static_cast<double>(nodes - 1) /
                                                              static_cast<double>(nodes);
  };
  const int axes = axes_longer_than_one(shape);
  int ways = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.extent[axis] > 1) ways += shape.wraps[axis] && shape.extent[axis] > 2 ? 2 : 1;
  }
  if (algorithm == "linear") {
    return static_cast<double>(nodes - 1) * message_us(link, bytes);
  }
  if (algorithm == "binomial") return log * message_us(link, bytes);
  if (algorithm == "chain" || algorithm == "pipeline") return pipelined(nodes - 1, 1, 1);
  if (algorithm == "binary") return pipelined(floor_log2(nodes), 2, 1);
  // Down with halves, then one swap of a half.
  if (algorithm == "splitbinary") {
    return pipelined(std::max(1, floor_log2(nodes / 2 + 1)), 2, 2) +
           message_us(link, bytes - bytes / 2);
  }
  if (algorithm == "rdaas") return scattered(2 * std::int64_t{log});
  if (algorithm == "ring") return scattered(log + nodes - 1);
  if (algorithm == "trinaryx3") return pipelined(trinary_depth(shape), 1, axes);
  if (algorithm == "trinaryx6") return pipelined(trinary_depth(shape), 1, ways);
  // Edges of a line's tree lie over one another on its links; and all of Bintree6d's streams meet
  // on the links of the root.
  int line_load = 1;
  for (int extent : shape.extent) line_load = std::max(line_load, bintree_link_load(extent));
  if (algorithm == "bintree3d") return pipelined(bintree_depth(shape), line_load, 1);
  if (algorithm == "bintree6d") {
    const int streams = 2 * axes;
    return pipelined(bintree_depth(shape), streams * line_load, streams);
  }
  return std::nullopt;
}

std::uint64_t rounded_segment_bytes(double wanted_bytes, std::uint64_t part_bytes,
                                    std::uint64_t smallest_bytes, std::uint64_t largest_bytes) {
  const double limited =
      std::clamp(wanted_bytes, as_double(smallest_bytes), as_double(largest_bytes));
  if (limited >= as_double(part_bytes)) return std::max<std::uint64_t>(part_bytes, 1);
  const auto segments = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(as_double(part_bytes) / limited)));
  auto rounded_up = [](std::uint64_t bytes) {
    return (bytes + kSegmentGranuleBytes - 1) / kSegmentGranuleBytes * kSegmentGranuleBytes;
  };
  const std::uint64_t segment = rounded_up((part_bytes + segments - 1) / segments);
  if (segment <= largest_bytes) return std::min(segment, part_bytes);
  return rounded_up((part_bytes + segments) / (segments + 1));
}

}  // namespace mpiactor::inter
