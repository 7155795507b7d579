// Persistent collectives where the MPI library has them by names of its own.
#ifndef MPIACTOR_TESTS_PERSISTENT_NAMES_H_
#define MPIACTOR_TESTS_PERSISTENT_NAMES_H_

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init MPIX_Bcast_init
#endif

#endif  // MPIACTOR_TESTS_PERSISTENT_NAMES_H_
