// A rank that leaves a collective has seen what came before the last of the others arrived:
// functions that look for it find it. Of two ranks.
#include <string>

#include "tests/collectives/checked_collectives.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

// What rank 0, the last one to arrive, has sent before is there for rank 1.

constexpr int kTag = 5;

void take(const Group& group) {
  int got = 0;
  MPI_Recv(&got, 1, MPI_INT, 0, kTag, group.comm, MPI_STATUS_IGNORE);
  expect(got == 42, "message");
}

void look_by_iprobe(const Group& group, const Collective& collective) {
  const int sent = 42;
  if (group.rank == 0) MPI_Send(&sent, 1, MPI_INT, 1, kTag, group.comm);
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    int found = 0;
    MPI_Iprobe(0, kTag, group.comm, &found, MPI_STATUS_IGNORE);
    if (!found) fail("MPI_Iprobe after " + collective.name + " found nothing");
    take(group);
  }
}

void look_by_improbe(const Group& group, const Collective& collective) {
  const int sent = 42;
  if (group.rank == 0) MPI_Send(&sent, 1, MPI_INT, 1, kTag, group.comm);
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    int found = 0;
    MPI_Message message;
    MPI_Improbe(0, kTag, group.comm, &found, &message, MPI_STATUS_IGNORE);
    if (!found) fail("MPI_Improbe after " + collective.name + " found nothing");
    int got = 0;
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    expect(got == 42, "message");
  }
}

void look_by_cancel(const Group& group, const Collective& collective) {
  int got = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (group.rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, kTag, group.comm, &request);
  PMPI_Barrier(group.comm);
  const int sent = 42;
  if (group.rank == 0) MPI_Send(&sent, 1, MPI_INT, 1, kTag, group.comm);
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    MPI_Status status;
    int is_cancelled = 0;
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    if (is_cancelled) fail("MPI_Cancel after " + collective.name + " cancelled what had come");
    expect(got == 42, "message");
  }
}

void look_by_win_test(const Group& group, MPI_Win window, const Collective& collective) {
  MPI_Group all, other;
  MPI_Comm_group(group.comm, &all);
  const int peer = 1 - group.rank;
  MPI_Group_incl(all, 1, &peer, &other);
  if (group.rank == 1) {
    MPI_Win_post(other, 0, window);
  } else {
    MPI_Win_start(other, 0, window);
    MPI_Win_complete(window);
  }
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    int ended = 0;
    MPI_Win_test(window, &ended);
    if (!ended) fail("MPI_Win_test after " + collective.name + " found an open epoch");
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

void run_looks(const Group& group) {
  constexpr int kTimes = 50;
  int memory = 0;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, group.comm, &window);
  for (const Collective& collective : collectives()) {
    // Where rank 0 only receives, nothing says when it came.
    if (collective.only_to_root) continue;
    at = "looks after " + collective.name;
    for (int i = 0; i < kTimes; ++i) {
      look_by_iprobe(group, collective);
      look_by_improbe(group, collective);
      look_by_cancel(group, collective);
      look_by_win_test(group, window, collective);
    }
  }
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  say_when_slow(30);
  run_looks(job.world());
  return 0;
}
