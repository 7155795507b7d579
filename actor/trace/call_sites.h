// Where in the program calls come from: return addresses as module and offset, each kept once in
// the rank's file. Knows nothing of MPI.
#ifndef MPIACTOR_ACTOR_TRACE_CALL_SITES_H_
#define MPIACTOR_ACTOR_TRACE_CALL_SITES_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "actor/trace/format.h"

namespace mpiactor::trace {

class CallSites {
 public:
  // As many different ones are kept; calls from further ones have number 0.
  static constexpr std::uint32_t kCapacity = 1024;

  // `header` counts them, `slots` has room for kCapacity.
  CallSites(SectionHeader* header, CallSite* slots) : header_(header), slots_(slots) {}

  // The number of the call site, from 1; 0: unknown. `return_address`: of the entry that the
  // program called. `frame`: any address in the stack that lies as far from that entry's frame in
  // every call from the same address. Where the return address lies in a Fortran wrapper of the MPI
  // library, that of the wrapper's caller is taken instead, and so on if that is a wrapper, too:
  // the stack is unwound at the first such call, and read at the same distances later on. Any
  // thread.
  std::uint16_t number_of(std::uintptr_t return_address, std::uintptr_t frame);

 private:
  // By return address: written once, the address last.
  struct Known {
    std::atomic<std::uintptr_t> return_address{0};
    // From its own place in the stack, or `frame` for the first one, to where the wrapper's
    // caller's lies; 0: no wrapper.
    std::uintptr_t distance = 0;
    std::uint16_t number = 0;
  };
  static constexpr std::size_t kKnown = 4 * kCapacity;  // a power of two

  Known* find(std::uintptr_t return_address);
  Known* learn(std::uintptr_t return_address, std::uintptr_t place);
  std::uint16_t add(std::uintptr_t return_address);

  SectionHeader* header_;
  CallSite* slots_;
  std::mutex mutex_;
  std::size_t used_ = 0;
  std::array<Known, kKnown> known_;
};

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_CALL_SITES_H_
