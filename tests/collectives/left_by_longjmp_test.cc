// An error handler that leaves a failing MPI_Comm_free by longjmp(), as test suites do: on all
// ranks, or on one alone. Other communicators are used and freed afterwards, and the one that was
// not freed is used on.
#include <csetjmp>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

std::jmp_buf before_the_call;
int jumps = 0;
bool stays = false;

int refuse(MPI_Comm, int, void*, void*) { return MPI_ERR_OTHER; }
void jump(MPI_Comm*, int*, ...) {
  if (stays) return;
  ++jumps;
  std::longjmp(before_the_call, 1);
}

void free_in_vain(MPI_Comm comm, int keyval) {
  MPI_Comm_set_attr(comm, keyval, nullptr);
  if (setjmp(before_the_call) == 0) MPI_Comm_free(&comm);
}

void use(MPI_Comm comm, int size) {
  for (int call = 0; call < 3; ++call) {
    const int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_EQUAL(sum, size, "a sum");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  // MPICH's is called for this one.
  MPI_Comm_set_errhandler(group.comm, handler);
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, nullptr);
  constexpr int kTimes = 3;
  for (const bool all_leave : {true, false}) {
    stays = !all_leave && group.rank != 0;
    for (int time = 0; time < kTimes; ++time) {
      MPI_Comm comm;
      MPI_Comm_dup(group.comm, &comm);
      MPI_Comm_set_errhandler(comm, handler);
      use(comm, group.size);
      free_in_vain(comm, keyval);
      if (!all_leave) use(comm, group.size);
      MPI_Comm other;
      MPI_Comm_dup(group.comm, &other);
      use(other, group.size);
      MPI_Comm_free(&other);
      use(group.comm, group.size);
    }
  }
  CHECK_EQUAL(jumps, kTimes * (group.rank == 0 ? 2 : 1), "jumps out of MPI_Comm_free");
  MPI_Comm_set_errhandler(group.comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free_keyval(&keyval);
  MPI_Errhandler_free(&handler);
  return 0;
}
