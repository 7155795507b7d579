// Every collective that the runtime takes over, on the world and on halves of it, for
// trace_test.py:
//   calls ITERATIONS [VICTIM]
// Root of iteration i is i mod ranks; in broadcasts rank (i + 1) mod ranks comes last. With VICTIM
// that rank is killed after the iterations.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kElements = 1000;

void run_collectives(MPI_Comm comm, int iteration) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int root = iteration % ranks;
  const auto all = static_cast<std::size_t>(ranks) * kElements;
  std::vector<int> one(kElements, 1);
  std::vector<int> many(all, 1);
  std::vector<int> out(all);
  std::vector<int> counts(static_cast<std::size_t>(ranks), kElements);
  std::vector<int> displacements;
  for (int r = 0; r < ranks; ++r) displacements.push_back(r * kElements);

  if (rank == (iteration + 1) % ranks) usleep(2000);
  MPI_Bcast(one.data(), kElements, MPI_INT, root, comm);
  MPI_Scatter(many.data(), kElements, MPI_INT, out.data(), kElements, MPI_INT, root, comm);
  MPI_Gather(one.data(), kElements, MPI_INT, out.data(), kElements, MPI_INT, root, comm);
  MPI_Reduce(one.data(), out.data(), kElements, MPI_INT, MPI_SUM, root, comm);
  MPI_Allreduce(one.data(), out.data(), kElements, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter(many.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(many.data(), out.data(), kElements, MPI_INT, MPI_SUM, comm);
  MPI_Allgather(one.data(), kElements, MPI_INT, out.data(), kElements, MPI_INT, comm);
  MPI_Allgatherv(one.data(), kElements, MPI_INT, out.data(), counts.data(), displacements.data(),
                 MPI_INT, comm);
  MPI_Alltoall(many.data(), kElements, MPI_INT, out.data(), kElements, MPI_INT, comm);
  MPI_Gatherv(one.data(), kElements, MPI_INT, out.data(), counts.data(), displacements.data(),
              MPI_INT, root, comm);
  MPI_Scatterv(many.data(), counts.data(), displacements.data(), MPI_INT, out.data(), kElements,
               MPI_INT, root, comm);
  MPI_Alltoallv(many.data(), counts.data(), displacements.data(), MPI_INT, out.data(),
                counts.data(), displacements.data(), MPI_INT, comm);
  MPI_Barrier(comm);
}

// Rank 0 gathers from the odd ranks. What a rank need not say is nothing that can be looked at. Calls
// on inter-communicators are not in the trace.
void gather_between(MPI_Comm inter, int rank) {
  const bool gives = rank % 2 == 1;
  const int root = gives ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
  int ranks = 0;
  MPI_Comm_remote_size(inter, &ranks);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  MPI_Gather(gives ? &rank : nullptr, 1, gives ? MPI_INT : MPI_DATATYPE_NULL, all.data(), 1,
             root == MPI_ROOT ? MPI_INT : MPI_DATATYPE_NULL, root, inter);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = std::atoi(argv[1]);
  const int victim = argc > 2 ? std::atoi(argv[2]) : -1;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm inter;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
  for (int i = 0; i < iterations; ++i) {
    run_collectives(MPI_COMM_WORLD, i);
    run_collectives(half, i);
    gather_between(inter, rank);
  }
  if (victim >= 0) {
    usleep(300000);  // the others have left their last call
    if (rank == victim) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  if (rank == 0) std::puts("done");
  MPI_Finalize();
  return 0;
}
