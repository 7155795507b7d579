// Many simulated calls at once, on all cores.
#ifndef MPIACTOR_SIM_SWEEP_H_
#define MPIACTOR_SIM_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/collective.h"
#include "sim/fit.h"

namespace mpiactor::sim {

// One line on standard error that counts what is done; silent where that is no terminal.
class Progress {
 public:
  Progress(std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();  // from any thread

 private:
  void show() const;

  std::mutex mutex_;
  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_;
};

// Calls task(0) .. task(count - 1) in parallel by oneTBB, on `threads` cores (0: all). Results must
// not depend on the order. The first exception ends the sweep and is thrown again.
void parallel_sweep(const std::string& what, std::size_t count, int threads,
                    const std::function<void(std::size_t)>& task);

struct SweepInput {
  CollectiveInput base;  // without bytes and arrivals
  std::vector<std::uint64_t> sizes;
  std::string pattern = "together";
  Picoseconds skew = 0;
  std::uint64_t seed = 1;
  int repetitions = 1;  // with arrivals drawn anew
  int threads = 0;
};

// Means over the repetitions, but for what is said to be the most of any.
struct SweepPoint {
  std::uint64_t bytes = 0;
  double time_us = 0;  // from the first moment to the last exit
  double throughput_mbps = 0;
  double in_call_mean_us = 0;
  double in_call_max_us = 0;  // the most
  double excess_mean_us = 0;
  double transfers = 0;
  std::size_t links_used = 0;            // the most
  double link_bytes = 0;                 // as LinkStatistics has it, and so on
  std::uint64_t busiest_link_bytes = 0;  // the most
  double mean_link_utilization = 0;
  double peak_link_utilization = 0;  // the most
};

// In the order of `sizes`. Throws InputError, PlanError.
std::vector<SweepPoint> sweep_sizes(const SweepInput& input);

std::optional<Fit> fit_sweep(const SweepInput& input, const std::vector<SweepPoint>& points);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_SWEEP_H_
