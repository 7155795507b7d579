#include "actor/trace/counters.h"

namespace mpiactor::trace {

Counters& counters() {
  static Counters the_counters;
  return the_counters;
}

std::string summary(int rank) {
  const Counters& c = counters();
  return "rank " + std::to_string(rank) + ": " + std::to_string(c.hybrid) + " calls hybrid (" +
         std::to_string(c.led) + " as leader, " + std::to_string(c.single_copy) +
         " by single copy), " + std::to_string(c.passed) + " passed to the MPI library; " +
         std::to_string(c.containers) + " containers, " + std::to_string(c.back_pressure) +
         " waits for slow members";
}

}  // namespace mpiactor::trace

// For tests: how many calls the runtime has handled itself on this rank.
extern "C" __attribute__((visibility("default"))) long mpiactor_hybrid_calls() {
  return static_cast<long>(mpiactor::trace::counters().hybrid.load());
}

// For tests: of these, how many by single copy.
extern "C" __attribute__((visibility("default"))) long mpiactor_single_copy_calls() {
  return static_cast<long>(mpiactor::trace::counters().single_copy.load());
}
