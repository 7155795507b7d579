// Noise: how much longer steps of computing last than they should, as data.
#ifndef MPIACTOR_APPS_COMMON_NOISE_H_
#define MPIACTOR_APPS_COMMON_NOISE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpiactor::apps {

// How noise of K is spread over ranks and steps. Its mean is K / 2 with each.
enum class NoiseKind {
  kIndependent,  // every rank and step: uniform in [0, K)
  kPersistent,   // a rank has one share, uniform in [0, K), in every step
  kRare,         // one step of a rank in kRareSteps: uniform in [0, kRareSteps * K), the others 0
};

inline constexpr int kRareSteps = 100;

// Every kind's name on the command line, in the order of the enumeration.
const std::vector<std::string>& noise_names();

std::string_view noise_name(NoiseKind kind);

// Throws std::invalid_argument naming `name` and the names there are.
NoiseKind parse_noise(std::string_view name);

// A pure function of what it is made of, rank and step: all ranks know all draws without a message,
// and programs that are compared meet the same ones.
class Noise {
 public:
  // `scale_ns` is K, >= 0.
  Noise(NoiseKind kind, std::int64_t scale_ns, std::uint64_t seed)
      : kind_(kind), scale_ns_(scale_ns), seed_(seed) {}

  // By how many ns `step` of `rank`, both from 0, lasts longer.
  std::int64_t draw_ns(int rank, std::int64_t step) const;

  NoiseKind kind() const { return kind_; }
  std::int64_t scale_ns() const { return scale_ns_; }
  std::uint64_t seed() const { return seed_; }

 private:
  NoiseKind kind_;
  std::int64_t scale_ns_;
  std::uint64_t seed_;
};

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_NOISE_H_
