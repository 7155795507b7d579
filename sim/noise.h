// What makes ranks that compute equally long arrive at different times.
#ifndef MPIACTOR_SIM_NOISE_H_
#define MPIACTOR_SIM_NOISE_H_

#include <cstdint>
#include <string>

#include "sim/machine.h"

namespace mpiactor::sim {

enum class NoiseKind {
  kIndependent,  // each step of each rank takes a time longer that is uniform in [0, K)
  kPersistent,   // a rank's every step takes its own share of K longer, uniform in [0, 1)
  kRare,         // one step in a hundred takes a time longer that is uniform in [0, 100 K)
};

inline constexpr const char* kNoiseKinds = "independent, persistent, rare";

// Throws InputError.
NoiseKind parse_noise_kind(const std::string& name);
const char* noise_kind_name(NoiseKind kind);

// All three last K / 2 on average. What is drawn depends on its arguments alone, not on an order of
// calls, and is proportional to K.
struct Noise {
  NoiseKind kind = NoiseKind::kIndependent;
  Picoseconds largest = 0;  // K
  std::uint64_t seed = 1;

  // How much longer `rank` computes before its broadcast number `step`.
  Picoseconds of(std::uint64_t step, int rank) const;
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_NOISE_H_
