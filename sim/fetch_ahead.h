#ifndef MPIACTOR_SIM_FETCH_AHEAD_H_
#define MPIACTOR_SIM_FETCH_AHEAD_H_

namespace mpiactor::sim {

// Brings the cache line of `address` closer, while something else is done.
inline void fetch_ahead(const void* address) {
  __builtin_prefetch(address);
  // Without it, gcc takes a function that only prefetches for one without effect and drops its
  // calls.
  asm volatile("");
}

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_FETCH_AHEAD_H_
