/* constructor_host MODULE: rank 0's second thread loads the module, whose constructor gets rank 1's
   message when rank 0's first thread has made calls for the first time. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void* load(void* path) {
  if (!dlopen(path, RTLD_NOW)) {
    fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 0;
}

int main(int argc, char** argv) {
  int provided, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pthread_t loader;
  if (rank == 0) {
    pthread_create(&loader, 0, load, argv[1]);
    usleep(300000);
  }
  for (int i = 0; i < 4; i++) {
    int value = rank == 0 ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int all[16];
    MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&value, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] != i * ranks) MPI_Abort(MPI_COMM_WORLD, 1);
    int each[16] = {0};
    MPI_Request request;
    MPI_Allgather(&value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(each, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Scatter(each, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(each, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const int value = 5;
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
  if (rank == 0) pthread_join(loader, 0);
  return MPI_Finalize();
}
