// How many calls took which path, on this rank.
#ifndef MPIACTOR_ACTOR_TRACE_COUNTERS_H_
#define MPIACTOR_ACTOR_TRACE_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <string>

namespace mpiactor::trace {

struct Counters {
  std::atomic<std::uint64_t> hybrid{0};         // by this runtime
  std::atomic<std::uint64_t> passed{0};         // by the MPI library
  std::atomic<std::uint64_t> led{0};            // of the hybrid ones, as leader
  std::atomic<std::uint64_t> single_copy{0};    // of the hybrid ones, by single copy
  std::atomic<std::uint64_t> containers{0};     // made
  std::atomic<std::uint64_t> back_pressure{0};  // waits for a slow member of the node
};

Counters& counters();

// "rank 0: 120 calls hybrid (31 as leader), 2 passed to the MPI library; ..."
std::string summary(int rank);

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_COUNTERS_H_
