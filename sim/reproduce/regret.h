// How far the selected algorithm is from the best one, by simulation.
#ifndef MPIACTOR_SIM_REPRODUCE_REGRET_H_
#define MPIACTOR_SIM_REPRODUCE_REGRET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inter/cost_model.h"
#include "inter/registry.h"
#include "sim/reproduce/steady_state.h"

namespace mpiactor::sim {

struct Choice {
  std::string algorithm;
  std::uint64_t segment_bytes = 0;
  double time_us = 0;

  std::string text() const;
};

// One size on one shape.
struct RegretPoint {
  std::uint64_t bytes = 0;
  Choice selected;
  Choice best;
  std::size_t tried = 0;

  double regret() const { return selected.time_us / best.time_us - 1; }
  double throughput_mbps() const { return static_cast<double>(bytes) / selected.time_us; }
};

// One machine and shape. May be called from several threads.
class RegretField {
 public:
  RegretField(const Machine& machine, const inter::Shape& shape);

  // The selection beside all algorithms with segments of 512 B to 4 MiB in powers of two. Left out
  // is what the model puts behind the best so far by more than 2 times on up to 384 nodes, 1.2
  // times on more, and beyond 10,000 nodes all but the likeliest six.
  RegretPoint measure(std::uint64_t bytes);
  // [Fugaku]: what the vendor's tuning takes, whatever the shape; with the paper's best segments.
  double vendor_us(std::uint64_t bytes);

 private:
  struct Trial {
    const inter::Algorithm* algorithm;
    std::uint64_t segment_bytes;
    double predicted_us;
  };

  const inter::Shape& shape() const { return broadcasts_.shape(); }
  double margin() const { return shape().nodes() <= 384 ? 2.0 : 1.2; }
  std::size_t most_trials() const { return shape().nodes() <= 10'000 ? 100 : 6; }
  std::vector<Trial> trials(std::uint64_t bytes) const;
  Choice play(const inter::Algorithm& algorithm, std::uint64_t bytes, std::uint64_t segment);

  inter::LinkModel link_;
  SteadyBroadcasts broadcasts_;
};

// Of another collective: the selection beside every algorithm that has a model, with segments of 1
// KiB to 1 MiB in powers of four, of blocks a sixteenth of one at least, and with the segment that
// the model takes.
RegretPoint measure_regret(inter::Collective collective, const Machine& machine,
                           const inter::Shape& shape, std::uint64_t bytes);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPRODUCE_REGRET_H_
