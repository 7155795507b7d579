// The collectives that are compared, once as the program calls them and once as the MPI library
// does them.
#ifndef MPIACTOR_TESTS_COLLECTIVES_CALLS_H_
#define MPIACTOR_TESTS_COLLECTIVES_CALLS_H_

#include <mpi.h>

namespace mpiactor::testing {

struct Calls {
  decltype(&MPI_Barrier) barrier;
  decltype(&MPI_Bcast) bcast;
  decltype(&MPI_Reduce) reduce;
  decltype(&MPI_Allreduce) allreduce;
  decltype(&MPI_Reduce_scatter) reduce_scatter;
  decltype(&MPI_Reduce_scatter_block) reduce_scatter_block;
  decltype(&MPI_Allgather) allgather;
  decltype(&MPI_Allgatherv) allgatherv;
  decltype(&MPI_Gather) gather;
  decltype(&MPI_Gatherv) gatherv;
  decltype(&MPI_Scatter) scatter;
  decltype(&MPI_Scatterv) scatterv;
  decltype(&MPI_Alltoall) alltoall;
  decltype(&MPI_Alltoallv) alltoallv;
  decltype(&MPI_Alltoallw) alltoallw;
  decltype(&MPI_Scan) scan;
  decltype(&MPI_Exscan) exscan;
};

// As a program calls them: the preloaded runtime may take them over.
inline const Calls kProgram = {MPI_Barrier,   MPI_Bcast,          MPI_Reduce,
                               MPI_Allreduce, MPI_Reduce_scatter, MPI_Reduce_scatter_block,
                               MPI_Allgather, MPI_Allgatherv,     MPI_Gather,
                               MPI_Gatherv,   MPI_Scatter,        MPI_Scatterv,
                               MPI_Alltoall,  MPI_Alltoallv,      MPI_Alltoallw,
                               MPI_Scan,      MPI_Exscan};

// The MPI library's own.
inline const Calls kLibrary = {PMPI_Barrier,   PMPI_Bcast,          PMPI_Reduce,
                               PMPI_Allreduce, PMPI_Reduce_scatter, PMPI_Reduce_scatter_block,
                               PMPI_Allgather, PMPI_Allgatherv,     PMPI_Gather,
                               PMPI_Gatherv,   PMPI_Scatter,        PMPI_Scatterv,
                               PMPI_Alltoall,  PMPI_Alltoallv,      PMPI_Alltoallw,
                               PMPI_Scan,      PMPI_Exscan};

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_CALLS_H_
