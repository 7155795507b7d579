#include "actor/reduction/kernels.h"

#if defined(__x86_64__)
// Not taken back at the end: templates are compiled when the file ends.
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#define MPIACTOR_INSTRUCTION_SET avx512
#define MPIACTOR_WITHOUT_FUSED __attribute__((target("no-avx512f,avx2")))
#include "actor/reduction/kernels_inline.h"
#endif
