#include "inter/select.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace mpiactor::inter {
namespace {

constexpr std::uint64_t kShortestSegment = 1 << 10;
constexpr std::uint64_t kLongestSegment = 1 << 20;

// The model's best segment for one algorithm.
Candidate best_segment(const Algorithm& algorithm, const Shape& shape, std::uint64_t bytes,
                       const LinkModel& link) {
  Candidate best{&algorithm, 0, std::numeric_limits<double>::infinity()};
  for (std::uint64_t wanted = kShortestSegment; wanted <= kLongestSegment; wanted *= 2) {
    // What one stream carries is cut into equal segments.
    const auto streams = static_cast<std::uint64_t>(std::max(1, algorithm.streams(shape)));
    const std::uint64_t part = (bytes + streams - 1) / streams;
    const std::uint64_t segment =
        rounded_segment_bytes(static_cast<double>(wanted), part, kShortestSegment, kLongestSegment);
    const auto time_us = bcast_us(algorithm.name, shape, bytes, segment, link);
    // Of equal times the longest segment: fewer messages.
    if (time_us && *time_us <= best.time_us) best = {&algorithm, segment, *time_us};
  }
  return best;
}

// Where the root sends everything itself, segments only overlap the copies inside the nodes with
// the transfers. Up to 16 KiB the MPI library sends eagerly, which is the quickest way for a few of
// them; beyond that every segment costs a handshake, so there should be few.
std::uint64_t star_segment(std::uint64_t bytes) {
  constexpr std::uint64_t kEager = 16 << 10;
  constexpr std::uint64_t kMostEagerSegments = 4;
  constexpr std::uint64_t kShortestHandshake = 256 << 10;
  if (bytes <= kEager * kMostEagerSegments) return kEager;
  return std::clamp(std::bit_ceil(bytes / 4), kShortestHandshake, kLongestSegment);
}

Selection choose_bcast(const Shape& shape, std::uint64_t bytes, const Tuning& tuning) {
  if (const TuningRule* rule = tuning.find_bcast(shape, bytes)) {
    return {rule->algorithm, rule->segment_bytes, "tuning table"};
  }
  if (shape.nodes() <= kStarNodes) {
    return {find_algorithm(Collective::kBcast, "linear"), star_segment(bytes), "few nodes"};
  }
  const Candidate best = bcast_candidates(shape, bytes, tuning.link).front();
  return {best.algorithm, best.segment_bytes, "model"};
}

}  // namespace

std::vector<Candidate> bcast_candidates(const Shape& shape, std::uint64_t bytes,
                                        const LinkModel& link) {
  std::vector<Candidate> candidates;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::kBcast || !algorithm.supports(shape)) continue;
    const Candidate best = best_segment(algorithm, shape, bytes, link);
    if (best.segment_bytes != 0) candidates.push_back(best);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time_us < b.time_us; });
  return candidates;
}

Selection select_bcast(const Shape& shape, std::uint64_t bytes, std::string_view name,
                       std::uint64_t segment_bytes, const Tuning& tuning) {
  Selection selection;
  const Algorithm* const asked = find_algorithm(Collective::kBcast, name);
  if (asked && asked->supports(shape)) {
    selection = {asked, 0, "setting"};
  } else {
    selection = choose_bcast(shape, bytes, tuning);
  }
  if (segment_bytes != 0) selection.segment_bytes = segment_bytes;
  if (selection.segment_bytes == 0) {
    selection.segment_bytes =
        shape.nodes() <= kStarNodes
            ? star_segment(bytes)
            : best_segment(*selection.algorithm, shape, bytes, tuning.link).segment_bytes;
  }
  selection.segment_bytes = std::max(selection.segment_bytes, kShortestSegment);
  return selection;
}

}  // namespace mpiactor::inter
