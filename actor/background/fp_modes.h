// How a program has floating-point operations done: rounding, traps, numbers that count as zero.
// And the flags that operations have left, of SSE; those of x87 belong to the thread.
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
  // No traps. A stack that is left must have these: the switch back to it loads what it had, and
  // with a flag of x87 up, traps that are loaded go off.
  static FpModes without_traps() { return FpModes(); }
  void set() const {
    _mm_setcsr(sse_);
    asm volatile("fldcw %0" : : "m"(x87_));
  }
  // Those that this thread has, and the flags of these.
  void add_flags() const { _mm_setcsr(_mm_getcsr() | (sse_ & _MM_EXCEPT_MASK)); }

 private:
  std::uint32_t sse_ = _MM_MASK_MASK;  // as a process begins
  std::uint16_t x87_ = 0x37f;
#else
  static FpModes now() { return {}; }
  static FpModes without_traps() { return {}; }
  void set() const {}
  void add_flags() const {}
#endif
};

}  // namespace mpiactor::background

#endif  // MPIACTOR_ACTOR_BACKGROUND_FP_MODES_H_
