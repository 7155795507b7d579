// What the runtime knows of the predefined datatypes: size, gaps, and which predefined operations
// MPI and the MPI library allow on them.
#ifndef MPIACTOR_ACTOR_REDUCTION_PREDEFINED_TYPES_H_
#define MPIACTOR_ACTOR_REDUCTION_PREDEFINED_TYPES_H_

#include <mpi.h>

#include <cstdint>

#include "actor/reduction/kernels.h"

namespace mpiactor::reduction {

// Copies elements, not the gaps in them.
using CopyKernel = void (*)(const std::byte* from, std::byte* to, std::uint64_t elements);

struct PredefinedType {
  MPI_Datatype handle{};
  Element element = Element::kOpaque;
  std::uint16_t operations = 0;  // a bit for each Operation that is allowed
  std::uint16_t extent_bytes = 0;
  CopyKernel copy = nullptr;  // null where the type has no gaps

  bool allows(Operation operation) const {
    return operations >> static_cast<unsigned>(operation) & 1;
  }
};

// Null for a handle that is no predefined datatype of a fixed size. Calls MPI functions when it is
// called first.
const PredefinedType* find_predefined_type(MPI_Datatype type);

}  // namespace mpiactor::reduction

#endif  // MPIACTOR_ACTOR_REDUCTION_PREDEFINED_TYPES_H_
