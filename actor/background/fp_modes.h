// How a program has floating-point operations done: rounding, traps, numbers that count as zero.
// On x86 Boost's switch of stacks switches these, too: a stack has those of its last time.
#ifndef MPIACTOR_ACTOR_BACKGROUND_FP_MODES_H_
#define MPIACTOR_ACTOR_BACKGROUND_FP_MODES_H_

#ifdef __x86_64__
#include <xmmintrin.h>

#include <cstdint>
#endif

namespace mpiactor::background {

// Nothing on other processors.
class FpModes {
 public:
#ifdef __x86_64__
  static FpModes now() {
    FpModes modes;
    modes.sse_ = _mm_getcsr();
    asm volatile("fnstcw %0" : "=m"(modes.x87_));
    return modes;
  }
  void set() const {
    _mm_setcsr(sse_);
    asm volatile("fldcw %0" : : "m"(x87_));
  }

 private:
  std::uint32_t sse_ = 0;
  std::uint16_t x87_ = 0;
#else
  static FpModes now() { return {}; }
  void set() const {}
#endif
};

}  // namespace mpiactor::background

#endif  // MPIACTOR_ACTOR_BACKGROUND_FP_MODES_H_
