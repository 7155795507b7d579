#include "apps/common/noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace mpiactor::apps {
namespace {

// The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators):
// every bit of the result depends on every bit of `word`.
std::uint64_t mixed(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

// In [0, 1). Not of the standard library's distributions, which differ between libraries.
double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

}  // namespace

const std::vector<std::string>& noise_names() {
  static const std::vector<std::string> names = {"independent", "persistent", "rare"};
  return names;
}

std::string_view noise_name(NoiseKind kind) {
  return noise_names()[static_cast<std::size_t>(kind)];
}

NoiseKind parse_noise(std::string_view name) {
  const auto& names = noise_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw std::invalid_argument(
        fmt::format("'{}' is no kind of noise: choose one of {}", name, fmt::join(names, ", ")));
  }
  return static_cast<NoiseKind>(found - names.begin());
}

std::int64_t Noise::draw_ns(int rank, std::int64_t step) const {
  const std::uint64_t of_rank = mixed(mixed(seed_) ^ static_cast<std::uint64_t>(rank));
  // Steps count from 1 here, so that step 0 does not repeat the rank's own share.
  const std::uint64_t of_step = mixed(of_rank ^ mixed(static_cast<std::uint64_t>(step) + 1));
  const auto scale_ns = static_cast<double>(scale_ns_);
  switch (kind_) {
    case NoiseKind::kIndependent:
      return static_cast<std::int64_t>(fraction(of_step) * scale_ns);
    case NoiseKind::kPersistent:
      return static_cast<std::int64_t>(fraction(of_rank) * scale_ns);
    case NoiseKind::kRare:
      if (fraction(of_step) * kRareSteps >= 1.0) return 0;
      return static_cast<std::int64_t>(fraction(mixed(of_step)) * kRareSteps * scale_ns);
  }
  throw std::logic_error("unknown kind of noise");
}

}  // namespace mpiactor::apps
