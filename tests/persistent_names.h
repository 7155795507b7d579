// Persistent collectives where the MPI library has them by names of its own.
#ifndef MPIACTOR_TESTS_PERSISTENT_NAMES_H_
#define MPIACTOR_TESTS_PERSISTENT_NAMES_H_

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allgather_init MPIX_Allgather_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Alltoall_init MPIX_Alltoall_init
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Gather_init MPIX_Gather_init
#define MPI_Reduce_init MPIX_Reduce_init
#define MPI_Reduce_scatter_init MPIX_Reduce_scatter_init
#define MPI_Scatter_init MPIX_Scatter_init
#endif

#endif  // MPIACTOR_TESTS_PERSISTENT_NAMES_H_
