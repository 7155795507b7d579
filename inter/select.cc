#include "inter/select.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "inter/bcast_cost.h"
#include "inter/collective_cost.h"

namespace mpiactor::inter {
namespace {

constexpr std::uint64_t kShortestSegment = 1 << 10;
constexpr std::uint64_t kLongestSegment = 1 << 20;
constexpr std::uint64_t kManySegments = 24;
constexpr double kLittle = 0.005;  // of a time

// In ascending order. A long part is cut by powers of two, where a shorter last segment does not
// matter; of a short one also by those in between, into segments of nearly equal size.
std::vector<std::uint64_t> segments_to_try(std::uint64_t part_bytes) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t wanted = kShortestSegment; wanted <= kLongestSegment; wanted *= 2) {
    const bool is_long = part_bytes / wanted > kManySegments;
    if (is_long) {
      found.push_back(wanted);
      continue;
    }
    for (const double factor : {1.0, 1.5}) {
      found.push_back(rounded_segment_bytes(factor * static_cast<double>(wanted), part_bytes,
                                            kShortestSegment, kLongestSegment));
    }
    if (found.back() == part_bytes) break;
  }
  return found;
}

// Whether messages grow from round to round.
bool gathers_in_rounds(const Algorithm& algorithm) {
  const std::string_view name = algorithm.name;
  return algorithm.collective == Collective::kAllgather &&
         (name == "bruck" || name == "recdoubling");
}

// What the model says of one collective on one shape.
class Predictor {
 public:
  Predictor(Collective collective, const Shape& shape, std::uint64_t bytes, const LinkModel& link)
      : shape_(shape), bytes_(bytes) {
    if (collective == Collective::kBcast) {
      bcast_.emplace(shape, link);
    } else {
      others_.emplace(shape, link);
    }
  }

  std::optional<double> time_us(const Algorithm& algorithm, std::uint64_t segment) const {
    switch (algorithm.collective) {
      case Collective::kBcast:
        return bcast_->time_us(algorithm.name, bytes_, segment);
      case Collective::kReduce:
        return others_->reduce_us(algorithm.name, bytes_, segment);
      case Collective::kAllreduce:
        return others_->allreduce_us(algorithm.name, bytes_, segment);
      case Collective::kReduceScatter:
        return std::nullopt;
      case Collective::kAllgather:
        return others_->allgather_us(algorithm.name, bytes_, segment);
      case Collective::kAlltoall:
        return others_->alltoall_us(algorithm.name, bytes_, segment);
    }
    return std::nullopt;
  }

  // The algorithm's best segment.
  Candidate best_segment(const Algorithm& algorithm) const {
    Candidate best{&algorithm, 0, std::numeric_limits<double>::infinity()};
    // What one stream carries is cut into equal segments; in an alltoall whole blocks, in the
    // rounds of an allgather up to half of all blocks.
    const auto streams = static_cast<std::uint64_t>(
        algorithm.collective == Collective::kAlltoall ? 1 : std::max(1, algorithm.streams(shape_)));
    const auto blocks =
        static_cast<std::uint64_t>(gathers_in_rounds(algorithm) ? (shape_.nodes() + 1) / 2 : 1);
    const std::uint64_t part = (blocks * bytes_ + streams - 1) / streams;
    // In ascending order. Of times that differ little the longest segment: fewer messages. In a
    // broadcast only of equal ones: the shorter the segments, the more of the copies inside the
    // nodes overlaps with them, which elsewhere begin in the end.
    const double enough = 1 + (algorithm.collective == Collective::kBcast ? -kLittle : kLittle);
    double least_us = best.time_us;
    for (const std::uint64_t tried : segments_to_try(part)) {
      const std::uint64_t segment = std::max(tried, kShortestSegment);
      const auto predicted_us = time_us(algorithm, segment);
      if (!predicted_us) continue;
      if (*predicted_us != best.time_us && *predicted_us >= enough * least_us) continue;
      least_us = std::min(least_us, *predicted_us);
      best = {&algorithm, segment, *predicted_us};
    }
    return best;
  }

 private:
  const Shape& shape_;
  std::uint64_t bytes_;
  std::optional<BcastModel> bcast_;
  std::optional<CollectiveModel> others_;
};

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

// Reductions and exchanges that are made for several links a node; on a switch they promise no gain
// over the textbook's, which are quicker to begin.
bool needs_torus(const Algorithm& algorithm) {
  const std::string_view name = algorithm.name;
  return name == "trinaryx3" || name == "multiring3d" || name == "doublespread" || name == "bine" ||
         name == "swing" || name == "swingshort";
}

// A segment of 0 is still to be chosen.
Selection choose(Collective collective, const Shape& shape, std::uint64_t bytes,
                 const Tuning& tuning, const Layout& layout) {
  if (const Rule* rule = find_plan_rule(tuning, collective, shape, bytes, layout)) {
    return {rule->algorithm, rule->segment_bytes,
            rule->is_built_in ? "built-in rule" : "tuning table", rule};
  }
  const std::vector<Candidate> all = candidates(collective, shape, bytes, tuning.link);
  if (all.empty()) {
    throw std::logic_error(std::string(collective_name(collective)) +
                           ": there is no model to choose by");
  }
  const bool any_will_do = collective == Collective::kBcast || tuning.link.is_torus(shape);
  const auto best = std::find_if(all.begin(), all.end(), [&](const Candidate& candidate) {
    return any_will_do || !needs_torus(*candidate.algorithm);
  });
  return {best->algorithm, best->segment_bytes, "model", nullptr};
}

}  // namespace

std::vector<Candidate> candidates(Collective collective, const Shape& shape, std::uint64_t bytes,
                                  const LinkModel& link) {
  const Predictor predictor(collective, shape, bytes, link);
  std::vector<Candidate> found;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective || !algorithm.supports(shape)) continue;
    const Candidate best = predictor.best_segment(algorithm);
    if (best.segment_bytes != 0) found.push_back(best);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time_us < b.time_us; });
  return found;
}

Selection select(Collective collective, const Shape& shape, std::uint64_t bytes,
                 std::string_view name, std::uint64_t segment_bytes, const Tuning& tuning,
                 const Layout& layout) {
  Selection selection;
  const Algorithm* const asked = find_algorithm(collective, name);
  if (asked && asked->supports(shape)) {
    selection = {asked, 0, "setting", nullptr};
  } else {
    selection = choose(collective, shape, bytes, tuning, layout);
  }
  if (segment_bytes != 0) selection.segment_bytes = segment_bytes;
  if (selection.segment_bytes == 0) {
    const bool is_star =
        collective == Collective::kBcast &&
        (shape.nodes() <= kStarNodes || (selection.rule != nullptr && selection.rule->is_built_in));
    selection.segment_bytes = is_star ? star_segment(bytes)
                                      : Predictor(collective, shape, bytes, tuning.link)
                                            .best_segment(*selection.algorithm)
                                            .segment_bytes;
  }
  // Of an algorithm that the model does not know the message is not cut where that can be.
  if (selection.segment_bytes == 0) selection.segment_bytes = std::min(bytes, kLongestSegment);
  selection.segment_bytes = std::max(selection.segment_bytes, kShortestSegment);
  return selection;
}

bool root_may_serve_all(const Selection& selection, std::int64_t nodes) {
  return nodes <= kMostServedByRoot && selection.rule && selection.rule->is_built_in &&
         std::string_view(selection.algorithm->name) != kServesAll;
}

}  // namespace mpiactor::inter
