// Duplicates of communicators. One that is being made while blocking collectives go on, whose
// container is made then. And none by which the runtime would call the program's functions that copy
// attributes.
#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

int copies = 0;
int deletions = 0;

int note_copy(MPI_Comm, int, void*, void*, void*, int* is_kept) {
  ++copies;
  *is_kept = 1;
  return MPI_SUCCESS;
}
int note_deletion(MPI_Comm, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

void check_sum(const Group& group, MPI_Comm comm, int summand) {
  const int mine = group.rank + summand;
  int sum = -1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQUAL(sum, group.size * (group.size - 1) / 2 + group.size * summand, "a sum");
}

void collectives_while_a_duplicate_is_made(const Group& group, int round) {
  MPI_Comm comm;
  MPI_Comm_dup(group.comm, &comm);
  MPI_Comm duplicate;
  MPI_Request request;
  MPI_Comm_idup(comm, &duplicate, &request);
  for (int call = 0; call < 4; ++call) {
    check_sum(group, comm, round + call);
    int word = group.rank == 0 ? call : -1;
    MPI_Bcast(&word, 1, MPI_INT, 0, comm);
    CHECK_EQUAL(word, call, "a broadcast word");
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_sum(group, duplicate, 0);
  MPI_Comm_free(&duplicate);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(note_copy, note_deletion, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &keyval);
  for (int round = 0; round < 20; ++round) collectives_while_a_duplicate_is_made(group, round);
  CHECK_EQUAL(copies, 0, "copies of an attribute of MPI_COMM_SELF");
  MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
  CHECK_EQUAL(deletions, 1, "deletions of that attribute");
  MPI_Comm_free_keyval(&keyval);
  return 0;
}
