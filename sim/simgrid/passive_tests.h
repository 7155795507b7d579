// Included before the engine's sources (see BUILD.bazel): where the engine tests its messages, it
// asks Completions, which knows what the last wait has seen.
//
// Ranks under SMPI take turns, and simulated time stands still while one of them polls. A rank that
// has nothing to do must therefore wait, for exactly the messages that the engine polls; sleeping
// between looks instead would make the sleeps a part of the result. MPI has no wait that leaves a
// request to a later test, hence this.
#ifndef MPIACTOR_SIM_SIMGRID_PASSIVE_TESTS_H_
#define MPIACTOR_SIM_SIMGRID_PASSIVE_TESTS_H_

#include <mpi.h>

namespace mpiactor::sim {

// As the MPI functions of these names, for the calling rank, but that passive_testall() has no
// statuses and may complete some requests where others are open.
int passive_test(MPI_Request* request, int* flag, MPI_Status* status);
int passive_testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses);
int passive_testsome(int count, MPI_Request* requests, int* completed, int* indices,
                     MPI_Status* statuses);

}  // namespace mpiactor::sim

#define PMPI_Test mpiactor::sim::passive_test
#define PMPI_Testall mpiactor::sim::passive_testall
#define PMPI_Testsome mpiactor::sim::passive_testsome

#endif  // MPIACTOR_SIM_SIMGRID_PASSIVE_TESTS_H_
