#include "actor/abi/handles.h"

#include <cstddef>

namespace mpiactor {

// A communicator of this process alone, on which errors return. It has none of the program's
// attributes.
AllowedOperations::AllowedOperations() {
  PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm_);
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

AllowedOperations::~AllowedOperations() { PMPI_Comm_free(&comm_); }

// Not by MPI_Reduce_local, whose errors are no communicator's and end the job.
bool AllowedOperations::has(MPI_Op op, MPI_Datatype type) const {
  alignas(std::max_align_t) const std::byte given[64] = {};
  alignas(std::max_align_t) std::byte taken[64];
  return PMPI_Allreduce(given, taken, 1, type, op, comm_) == MPI_SUCCESS;
}

}  // namespace mpiactor
