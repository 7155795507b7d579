// Throughput as two numbers: T = B / (1 + M_half / M), [K-perf].
#ifndef MPIACTOR_SIM_FIT_H_
#define MPIACTOR_SIM_FIT_H_

#include <cstdint>
#include <optional>
#include <span>

namespace mpiactor::sim {

struct TimedSize {
  std::uint64_t bytes = 0;
  double time_us = 0;  // above 0
};

struct Fit {
  double b_mbps = 0;        // throughput of an endless message, MB = 10^6 bytes
  double m_half_bytes = 0;  // size at which half of it is reached
  double t0_us = 0;         // M_half / B: time of a message without bytes
};

// The line time = t0 + bytes / B with the least sum of squared relative errors, so that short and
// long messages count alike. `work` bytes are counted per byte of the message, see
// work_per_byte(): T = work * M / t, so B = work / slope and M_half = t0 / slope (B t0 / 2 for
// allreduce, as in [K-perf]). None for fewer than two sizes.
std::optional<Fit> fit_throughput(std::span<const TimedSize> points, double work = 1);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_FIT_H_
