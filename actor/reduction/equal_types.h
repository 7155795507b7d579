// Derived types that are predefined ones under another name: which is the same to MPI, so a rank
// may pass the one where others pass the other.
#ifndef MPIACTOR_ACTOR_REDUCTION_EQUAL_TYPES_H_
#define MPIACTOR_ACTOR_REDUCTION_EQUAL_TYPES_H_

#include <mpi.h>

#include "actor/reduction/predefined_types.h"

namespace mpiactor::reduction {

// The predefined type, not one of pairs, whose type map and extent the valid derived `type` has;
// null where there is none.
const PredefinedType* find_equal_type(MPI_Datatype type);

}  // namespace mpiactor::reduction

#endif  // MPIACTOR_ACTOR_REDUCTION_EQUAL_TYPES_H_
