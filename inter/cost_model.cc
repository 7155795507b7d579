#include "inter/cost_model.h"

#include <algorithm>
#include <cmath>

#include "inter/log2.h"
#include "inter/routes.h"

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

}  // namespace

bool LinkModel::is_torus(const Shape& shape) const {
  if (network != NetworkKind::kByShape) return network == NetworkKind::kTorus;
  return shape.extent[0] < shape.nodes();
}

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
  return eager_limit_bytes(hops, kEagerBytesNear, kEagerBytesFar);
}

std::uint64_t eager_limit_bytes(int hops, std::uint64_t near_bytes, std::uint64_t far_bytes) {
  const auto beyond = static_cast<std::uint64_t>(std::clamp(hops, 1, kEagerFarHops) - 1);
  constexpr std::uint64_t kSteps = kEagerFarHops - 1;
  if (far_bytes < near_bytes) return near_bytes - (near_bytes - far_bytes) * beyond / kSteps;
  return near_bytes + (far_bytes - near_bytes) * beyond / kSteps;
}

int diameter_hops(const Shape& shape, const LinkModel& link) {
  if (!link.is_torus(shape)) return shape.nodes() > 1 ? 1 : 0;
  int sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    sum += shape.wraps[axis] ? shape.extent[axis] / 2 : shape.extent[axis] - 1;
  }
  return sum;
}

int hops_between(const Shape& shape, const LinkModel& link, int from, int to) {
  if (!link.is_torus(shape)) return from == to ? 0 : 1;
  return hops(shape, from, to);
}

double both(double a, double b, double sharpness) {
  const double slower = std::max(a, b);
  const double quicker = std::min(a, b);
  if (quicker == 0) return slower;
  return slower * std::pow(1 + std::pow(quicker / slower, sharpness), 1 / sharpness);
}

double expected_wait_us(double spread_us) { return spread_us / 6; }

double expected_leader_arrival_us(double spread_us, int members) {
  return spread_us / (members + 1);
}

double pipelined_binomial_us(int nodes, std::uint64_t bytes, const LinkModel& link,
                             double copy_us) {
  return ceil_log2(nodes) * message_us(link, bytes) + copy_us;
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
