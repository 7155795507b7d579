#include "apps/vcc/random_data.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <random>

namespace mpiactor::vcc {
namespace {

constexpr std::int32_t kCommonSeries = 4;
constexpr std::int32_t kLargestStation = 32;
constexpr std::int32_t kLeastStations = 8;
constexpr std::array<double, 5> kScales = {0.01, 0.1, 1.0, 10.0, 100.0};

enum class Stream : std::uint64_t { kVariable = 1, kSeries = 2, kStation = 3 };

// Steele, Lea and Flood's SplitMix64 finalizer: neighbouring numbers give unrelated seeds.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Draws by arithmetic that is exact or correctly rounded everywhere; the standard distributions
// differ between libraries.
class Random {
 public:
  Random(std::uint64_t seed, Stream stream, std::int32_t number)
      : engine_(mixed(mixed(mixed(seed) ^ static_cast<std::uint64_t>(stream)) ^
                      static_cast<std::uint64_t>(number))) {}

  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // Near a normal distribution: mean 0, variance 1.
  double bell() {
    constexpr double kSqrt3 = 1.7320508075688772;
    double sum = -2.0;
    for (int i = 0; i < 4; ++i) sum += uniform();
    return kSqrt3 * sum;
  }
  std::size_t below(std::size_t limit) { return engine_() % limit; }

 private:
  std::mt19937_64 engine_;
};

// Probability that a value of this variable is missing.
double missing_share(const RandomData& data, std::int32_t variable) {
  if (data.missing <= 0.0) return 0.0;
  const std::int32_t size =
      std::clamp(data.variables / kLeastStations, std::int32_t{1}, kLargestStation);
  Random station(data.seed, Stream::kStation, variable / size);
  const double with_gaps = (1.0 + data.missing) / 2.0;
  return station.uniform() < with_gaps ? data.missing / with_gaps : 0.0;
}

}  // namespace

void random_column(const RandomData& data, std::int32_t variable, double* values) {
  const double share = missing_share(data, variable);
  Random series(data.seed, Stream::kSeries, variable % kCommonSeries);
  Random own(data.seed, Stream::kVariable, variable);
  const double offset = 2000.0 * own.uniform() - 1000.0;
  const double scale = kScales[own.below(kScales.size())];
  const double loading = 2.0 * own.uniform() - 1.0;
  const double noise = 0.2 + 0.8 * own.uniform();
  for (std::int64_t t = 0; t < data.observations; ++t) {
    const double value = offset + scale * (loading * series.bell() + noise * own.bell());
    const bool is_missing = own.uniform() < share;
    values[t] = is_missing ? std::numeric_limits<double>::quiet_NaN() : value;
  }
}

DataTable random_table(const RandomData& data) {
  DataTable table;
  table.observations = data.observations;
  table.variables = data.variables;
  table.values.resize(static_cast<std::size_t>(data.observations) *
                      static_cast<std::size_t>(data.variables));
  for (std::int32_t variable = 0; variable < data.variables; ++variable) {
    random_column(data, variable, table.column(variable));
  }
  return table;
}

}  // namespace mpiactor::vcc
