// What the handles of the MPI library say by themselves. They are opaque everywhere else.
//
// is_builtin(type), builtin_bytes(type): predefined types without gaps, and their size.
// type_number(type): below kTypeNumbers, another one for each predefined type of a fixed size, also
//   those of pairs with gaps; kTypeNumbers for other types.
// operation_number(op): of MPI_MAX, MPI_MIN, ... in the order of reduction::Operation; other
//   operations have larger ones.
// kAgreesBlocking: whether what ranks agree on goes by blocking collectives.
// Handle: the types of handles that are pointers. kMisplacedError: the error class of MPI_IN_PLACE
//   at another rank than the root. kTakesEmptyInPlace: whether an empty buffer may be that there.
// kAbi: the ABI's name. kLibraries: what the names of libraries that have it contain.
// kLauncherConnection: the variable that names the descriptor of the launcher's socket, or "".
// is_predefined(handler): of error handlers.
#ifndef MPIACTOR_ACTOR_ABI_HANDLES_H_
#define MPIACTOR_ACTOR_ABI_HANDLES_H_

#include <mpi.h>

#ifdef OPEN_MPI
#include "actor/abi/openmpi/handles.h"
#else
#include "actor/abi/mpich/handles.h"
#endif

namespace mpiactor {

// What the library takes of predefined operations on predefined types, where MPI lets it. It may
// have been built without Fortran's types, or C++'s.
class AllowedOperations {
 public:
  AllowedOperations();
  ~AllowedOperations();
  AllowedOperations(const AllowedOperations&) = delete;
  AllowedOperations& operator=(const AllowedOperations&) = delete;
  bool has(MPI_Op op, MPI_Datatype type) const;

 private:
  MPI_Comm comm_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_ABI_HANDLES_H_
