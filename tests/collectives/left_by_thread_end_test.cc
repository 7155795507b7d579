// A thread ends itself in an error handler of a collective call.
#include <pthread.h>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

int left = 0;

void end_thread(MPI_Comm*, int*, ...) { pthread_exit(&left); }

void* fail_to_broadcast(void* comm) {
  MPI_Bcast(nullptr, 0, MPI_INT, -1, *static_cast<MPI_Comm*>(comm));
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_SERIALIZED);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(end_thread, &handler);
  MPI_Comm comm;
  MPI_Comm_dup(job.world().comm, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  for (int call = 0; call < 4; ++call) {
    pthread_t thread;
    pthread_create(&thread, nullptr, fail_to_broadcast, &comm);
    void* result = nullptr;
    pthread_join(thread, &result);
    CHECK(result == &left, "the thread went on");
    MPI_Barrier(comm);
  }
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
  return 0;
}
