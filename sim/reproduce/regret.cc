#include "sim/reproduce/regret.h"

#include <fmt/format.h>

#include <algorithm>

#include "inter/bcast_cost.h"
#include "inter/select.h"
#include "sim/collective.h"
#include "sim/reproduce/link_of_machine.h"

namespace mpiactor::sim {
namespace {

const inter::Algorithm& broadcast(const char* name) {
  return *inter::find_algorithm(inter::Collective::kBcast, name);
}

}  // namespace

std::string Choice::text() const { return fmt::format("{} {}", algorithm, segment_bytes); }

RegretField::RegretField(const Machine& machine, const inter::Shape& shape)
    : link_(link_of(machine)), broadcasts_(machine, shape) {}

RegretPoint RegretField::measure(std::uint64_t bytes) {
  inter::Tuning tuning;
  tuning.link = link_;
  const inter::Selection selection =
      inter::select(inter::Collective::kBcast, shape(), bytes, "auto", 0, tuning);
  RegretPoint point;
  point.bytes = bytes;
  point.selected = play(*selection.algorithm, bytes, selection.segment_bytes);
  point.best = point.selected;
  for (const Trial& trial : trials(bytes)) {
    // What the model puts far behind the best so far is left out.
    if (trial.predicted_us > margin() * point.best.time_us || point.tried == most_trials()) break;
    const Choice other = play(*trial.algorithm, bytes, trial.segment_bytes);
    ++point.tried;
    if (other.time_us < point.best.time_us) point.best = other;
  }
  return point;
}

// All algorithms with segments in powers of two, the likeliest first.
std::vector<RegretField::Trial> RegretField::trials(std::uint64_t bytes) const {
  constexpr std::uint64_t kShortest = 512;
  constexpr std::uint64_t kLongest = 4 << 20;
  std::vector<Trial> found;
  const inter::BcastModel model(shape(), link_);
  for (const inter::Algorithm& algorithm : inter::algorithms()) {
    if (algorithm.collective != inter::Collective::kBcast) continue;
    const auto streams = static_cast<std::uint64_t>(std::max(1, algorithm.streams(shape())));
    const std::uint64_t part = (bytes + streams - 1) / streams;
    for (std::uint64_t segment = kShortest; segment <= kLongest; segment *= 2) {
      const std::uint64_t cut = std::min(segment, part);
      const auto predicted_us = model.time_us(algorithm.name, bytes, cut);
      if (!predicted_us) break;
      found.push_back({&algorithm, cut, *predicted_us});
      if (cut == part) break;
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Trial& a, const Trial& b) { return a.predicted_us < b.predicted_us; });
  return found;
}

double RegretField::vendor_us(std::uint64_t bytes) {
  constexpr std::uint64_t kMostBinary = 512;
  constexpr std::uint64_t kMostBintree = 32 << 10;
  constexpr double kShortestSegment = 1024;
  if (bytes <= kMostBinary) return play(broadcast("binary"), bytes, bytes).time_us;
  const bool bintree = bytes <= kMostBintree;
  const double segment = bintree ? inter::bintree3d_best_segment_bytes(shape(), bytes, link_)
                                 : inter::trinaryx6_best_segment_bytes(shape(), bytes, link_);
  return play(broadcast(bintree ? "bintree3d" : "trinaryx6"), bytes,
              static_cast<std::uint64_t>(std::max(segment, kShortestSegment)))
      .time_us;
}

Choice RegretField::play(const inter::Algorithm& algorithm, std::uint64_t bytes,
                         std::uint64_t segment) {
  return {algorithm.name, segment, broadcasts_.time_us(algorithm, bytes, segment)};
}

RegretPoint measure_regret(inter::Collective collective, const Machine& machine,
                           const inter::Shape& shape, std::uint64_t bytes) {
  constexpr std::uint64_t kShortest = 1 << 10;
  constexpr std::uint64_t kLongest = 1 << 20;
  const auto play = [&](const inter::Algorithm& algorithm, std::uint64_t segment) {
    CollectiveInput input;
    input.machine = machine;
    input.shape = shape;
    input.algorithm = algorithm;
    input.bytes = bytes;
    input.segment_bytes = std::max(segment, kShortest);
    return Choice{algorithm.name, input.segment_bytes,
                  static_cast<double>(run_collective(input).end) / 1e6};
  };
  inter::Tuning tuning;
  tuning.link = link_of(machine);
  const inter::Selection selection = inter::select(collective, shape, bytes, "auto", 0, tuning);
  RegretPoint point;
  point.bytes = bytes;
  point.selected = play(*selection.algorithm, selection.segment_bytes);
  point.best = point.selected;
  for (const inter::Candidate& candidate :
       inter::candidates(collective, shape, bytes, tuning.link)) {
    std::vector<std::uint64_t> segments = {candidate.segment_bytes};
    const bool moves_blocks =
        collective == inter::Collective::kAllgather || collective == inter::Collective::kAlltoall;
    const std::uint64_t shortest = moves_blocks ? std::max(kShortest, bytes / 16) : kShortest;
    for (std::uint64_t segment = shortest; segment <= kLongest; segment *= 4) {
      segments.push_back(segment);
      if (segment >= bytes) break;
    }
    for (const std::uint64_t segment : segments) {
      const Choice other = play(*candidate.algorithm, segment);
      ++point.tried;
      if (other.time_us < point.best.time_us) point.best = other;
    }
  }
  return point;
}

}  // namespace mpiactor::sim
