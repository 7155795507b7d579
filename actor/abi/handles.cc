#include "actor/abi/handles.h"

#include <cstddef>

namespace mpiactor {
namespace {

// A communicator of this process alone, on which errors return. It has none of the program's
// attributes.
MPI_Comm make_own_comm() {
  MPI_Comm comm;
  PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

}  // namespace

// Not by MPI_Reduce_local, whose errors are no communicator's and end the job.
bool allows(MPI_Op op, MPI_Datatype type) {
  static const MPI_Comm own_comm = make_own_comm();
  alignas(std::max_align_t) const std::byte given[64] = {};
  alignas(std::max_align_t) std::byte taken[64];
  return PMPI_Allreduce(given, taken, 1, type, op, own_comm) == MPI_SUCCESS;
}

}  // namespace mpiactor
