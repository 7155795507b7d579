// Times of long messages from shorter ones.
#ifndef MPIACTOR_SIM_REPRODUCE_STEADY_STATE_H_
#define MPIACTOR_SIM_REPRODUCE_STEADY_STATE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "sim/collective.h"

namespace mpiactor::sim {

// Times of broadcasts on one machine and shape, root 0, everybody at once, as far as possible
// without simulating every segment of long messages.
//
// Along trees (all but rdaas and ring) a stream of many equal segments is soon in a steady state,
// in which every further segment of each stream costs the same. So where a stream has more than
// twice settling_segments(), n, the call is simulated with 2 n and with n segments, the last one of
// each stream being as short as in the whole message, and the time of the rest follows from the
// difference. Messages with fewer segments, rdaas and ring are simulated as they are.
//
// What has been simulated is remembered. May be called from several threads.
class SteadyBroadcasts {
 public:
  SteadyBroadcasts(const Machine& machine, const inter::Shape& shape);

  double time_us(const inter::Algorithm& algorithm, std::uint64_t bytes,
                 std::uint64_t segment_bytes);
  const inter::Shape& shape() const { return input_.shape; }

 private:
  using Key = std::tuple<const char*, std::uint64_t, std::uint64_t>;

  double simulated_us(const inter::Algorithm& algorithm, std::uint64_t bytes,
                      std::uint64_t segment_bytes);

  CollectiveInput input_;
  std::mutex mutex_;
  std::map<Key, double> known_;  // algorithm, bytes, segment
};

// Enough that the steady state is reached; and that none of the two runs is sent eagerly.
std::uint64_t settling_segments(const Machine& machine, const inter::Shape& shape,
                                std::uint64_t segment_bytes);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPRODUCE_STEADY_STATE_H_
