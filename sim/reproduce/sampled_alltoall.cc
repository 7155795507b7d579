#include "sim/reproduce/sampled_alltoall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>
#include <utility>

#include "sim/machine.h"

namespace mpiactor::sim {
namespace {

std::size_t index(int number) { return static_cast<std::size_t>(number); }

void check(const inter::Algorithm& algorithm, const inter::Shape& shape, int every) {
  const std::string_view name = algorithm.name;
  const bool known = name == "linear" || name == "pairwise" || name == "doublespread";
  if (algorithm.collective != inter::Collective::kAlltoall || !known) {
    throw InputError(
        fmt::format("algorithm {} cannot be sampled; allowed: linear, pairwise, doublespread of "
                    "alltoall",
                    name));
  }
  if (shape.nodes() < 2) throw InputError("an alltoall of one rank; allowed: at least 2");
  if (every < 1) {
    throw InputError(fmt::format("one round in {} is to be played; allowed: at least 1", every));
  }
}

}  // namespace

SampledAlltoall::SampledAlltoall(const inter::Algorithm& algorithm, const inter::Shape& shape,
                                 std::uint64_t block_bytes, int every)
    : shape_(shape), on_torus_(algorithm.name == std::string_view("doublespread")) {
  check(algorithm, shape, every);
  make_first_plan(algorithm, block_bytes, every);
}

int SampledAlltoall::at_distance(int rank, int distance) const {
  if (!on_torus_) return static_cast<int>((rank + distance) % shape_.nodes());
  int found = 0;
  int stride = 1;
  for (const int extent : shape_.extent) {
    found += stride * ((rank / stride % extent + distance / stride % extent) % extent);
    stride *= extent;
  }
  return found;
}

int SampledAlltoall::opposite(int distance) const {
  if (!on_torus_) return static_cast<int>((shape_.nodes() - distance) % shape_.nodes());
  int found = 0;
  int stride = 1;
  for (const int extent : shape_.extent) {
    found += stride * ((extent - distance / stride % extent) % extent);
    stride *= extent;
  }
  return found;
}

std::vector<int> SampledAlltoall::choose_distances(int every) const {
  constexpr int kDraws = 100;
  std::vector<int> lower;  // of pairs of opposite distances
  for (int distance = 1; distance < shape_.nodes(); ++distance) {
    if (distance <= opposite(distance)) lower.push_back(distance);
  }
  std::mt19937_64 draw(1);
  const auto draw_once = [&] {
    std::vector<int> drawn;
    // What is left in the end makes no whole group, unless it is the only one.
    const std::size_t group = std::min(index(every), lower.size());
    for (std::size_t first = 0; first + group <= lower.size(); first += group) {
      const int chosen = lower[first + draw() % group];
      drawn.push_back(chosen);
      if (opposite(chosen) != chosen) drawn.push_back(opposite(chosen));
    }
    return drawn;
  };
  std::vector<int> best = draw_once();
  for (int k = 1; every > 1 && k < kDraws; ++k) {
    std::vector<int> other = draw_once();
    if (imbalance(other) < imbalance(best)) best = std::move(other);
  }
  return best;
}

double SampledAlltoall::imbalance(const std::vector<int>& distances) const {
  double most = 0;
  int stride = 1;
  for (const int extent : shape_.extent) {
    const auto steps = [&](int distance) {
      const int ahead = distance / stride % extent;
      return static_cast<double>(std::min(ahead, extent - ahead));
    };
    double sum = 0;
    double sum_of_all = 0;
    for (const int distance : distances) sum += steps(distance);
    for (int ahead = 0; ahead < extent; ++ahead) sum_of_all += std::min(ahead, extent - ahead);
    const double mean_of_all = sum_of_all / extent;
    const double mean = sum / static_cast<double>(distances.size());
    if (extent > 1) most = std::max(most, std::abs(mean / mean_of_all - 1));
    stride *= extent;
  }
  return most;
}

// Both sides of a round count its block by the round's number, so that offsets agree.
void SampledAlltoall::make_first_plan(const inter::Algorithm& algorithm, std::uint64_t block_bytes,
                                      int every) {
  const std::vector<int> distances = choose_distances(every);
  rounds_ = distances.size();
  std::vector<inter::ByteRange> gives(static_cast<std::size_t>(shape_.nodes()));
  std::vector<inter::ByteRange> takes(gives.size());
  std::vector<std::uint64_t> number(gives.size());  // of the round of each distance
  for (std::size_t k = 0; k < distances.size(); ++k) {
    const int distance = distances[k];
    number[index(distance)] = k;
    gives[index(distance)] = {k * block_bytes, block_bytes};
    takes[index(opposite(distance))] = {k * block_bytes, block_bytes};
  }
  inter::PlanInput input;
  input.shape = shape_;
  input.gives = gives;
  input.takes = takes;
  first_ = algorithm.make_plan(input);
  for (inter::PlanOp& op : first_.ops) {
    const int distance = op.kind == inter::OpKind::kSend ? op.peer : opposite(op.peer);
    op.offset = number[index(distance)] * block_bytes;
  }
  first_.layout = inter::BufferLayout::kMessage;
}

inter::Plan SampledAlltoall::plan_of(int rank) const {
  inter::Plan plan = first_;
  for (inter::PlanOp& op : plan.ops) op.peer = at_distance(rank, op.peer);
  return plan;
}

}  // namespace mpiactor::sim
