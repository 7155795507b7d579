// What every processor of the family has.
#include "actor/reduction/kernels.h"

#define MPIACTOR_INSTRUCTION_SET baseline
#include "actor/reduction/kernels_inline.h"
