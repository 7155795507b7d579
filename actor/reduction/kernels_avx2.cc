#include "actor/reduction/kernels.h"

#if defined(__x86_64__)
// Not taken back at the end: templates are compiled when the file ends.
#pragma GCC target("avx2")
#define MPIACTOR_INSTRUCTION_SET avx2
#include "actor/reduction/kernels_inline.h"
#endif
