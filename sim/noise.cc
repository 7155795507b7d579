#include "sim/noise.h"

#include <fmt/format.h>

namespace mpiactor::sim {
namespace {

constexpr double kRareShare = 0.01;
constexpr std::uint64_t kEveryStep = ~std::uint64_t{0};

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Uniform in [0, 1).
double draw(std::uint64_t seed, std::uint64_t step, int rank, std::uint64_t which) {
  const std::uint64_t place = mix(mix(mix(seed) ^ step) ^ static_cast<std::uint64_t>(rank));
  return static_cast<double>(mix(place ^ which) >> 11) * 0x1p-53;
}

}  // namespace

NoiseKind parse_noise_kind(const std::string& name) {
  for (const NoiseKind kind : {NoiseKind::kIndependent, NoiseKind::kPersistent, NoiseKind::kRare}) {
    if (name == noise_kind_name(kind)) return kind;
  }
  throw InputError(fmt::format("noise is '{}'; allowed: {}", name, kNoiseKinds));
}

const char* noise_kind_name(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::kIndependent:
      return "independent";
    case NoiseKind::kPersistent:
      return "persistent";
    case NoiseKind::kRare:
      return "rare";
  }
  return "unknown";
}

Picoseconds Noise::of(std::uint64_t step, int rank) const {
  const auto k = static_cast<double>(largest);
  switch (kind) {
    case NoiseKind::kIndependent:
      return static_cast<Picoseconds>(draw(seed, step, rank, 0) * k);
    case NoiseKind::kPersistent:
      return static_cast<Picoseconds>(draw(seed, kEveryStep, rank, 0) * k);
    case NoiseKind::kRare:
      if (draw(seed, step, rank, 1) >= kRareShare) return 0;
      return static_cast<Picoseconds>(draw(seed, step, rank, 0) * k / kRareShare);
  }
  return 0;
}

}  // namespace mpiactor::sim
