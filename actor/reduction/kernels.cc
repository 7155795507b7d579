#include "actor/reduction/kernels.h"

#include <initializer_list>

namespace mpiactor::reduction {

const KernelTable* kernels_for(InstructionSet set) {
  if (set == InstructionSet::kBaseline) return &baseline::kKernels;
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx2 && __builtin_cpu_supports("avx2")) return &avx2::kKernels;
  if (set == InstructionSet::kAvx512 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return &avx512::kKernels;
  }
#endif
  return nullptr;
}

const KernelTable& best_kernels() {
  static const KernelTable* const best = [] {
    for (const InstructionSet set : {InstructionSet::kAvx512, InstructionSet::kAvx2}) {
      if (const KernelTable* kernels = kernels_for(set)) return kernels;
    }
    return kernels_for(InstructionSet::kBaseline);
  }();
  return *best;
}

}  // namespace mpiactor::reduction
