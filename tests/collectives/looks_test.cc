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

// Five messages, which the MPI library does not take in at once: one call sees them all.
void look_by_tests(const Group& group, const Collective& collective) {
  constexpr int kMessages = 5;
  const auto receive = [&](int(&got)[kMessages], MPI_Request(&requests)[kMessages]) {
    for (int i = 0; i < kMessages; ++i) {
      MPI_Irecv(&got[i], 1, MPI_INT, 0, kTag + i, group.comm, &requests[i]);
    }
  };
  using Requests = MPI_Request(&)[kMessages];
  const struct {
    const char* name;
    int (*find)(Requests);
  } functions[] = {
      {"MPI_Test",
       [](Requests requests) {
         int found = 0;
         MPI_Test(&requests[kMessages - 1], &found, MPI_STATUS_IGNORE);
         return found;
       }},
      {"MPI_Testall",
       [](Requests requests) {
         int found = 0;
         MPI_Testall(kMessages, requests, &found, MPI_STATUSES_IGNORE);
         return found;
       }},
      {"MPI_Testany",
       [](Requests requests) {
         int found = 0, at_index = 0;
         MPI_Testany(1, &requests[kMessages - 1], &at_index, &found, MPI_STATUS_IGNORE);
         return found;
       }},
      {"MPI_Testsome",
       [](Requests requests) {
         int count = 0, indices[kMessages];
         MPI_Testsome(kMessages, requests, &count, indices, MPI_STATUSES_IGNORE);
         return int{count == kMessages};
       }},
      {"MPI_Request_get_status",
       [](Requests requests) {
         int found = 0;
         MPI_Request_get_status(requests[kMessages - 1], &found, MPI_STATUS_IGNORE);
         return found;
       }},
  };
  for (const auto& [name, find] : functions) {
    int got[kMessages];
    MPI_Request requests[kMessages];
    if (group.rank == 1) receive(got, requests);
    PMPI_Barrier(group.comm);
    for (int i = 0; group.rank == 0 && i < kMessages; ++i) {
      MPI_Send(&i, 1, MPI_INT, 1, kTag + i, group.comm);
    }
    collective.call(group, 0, 1);
    if (group.rank == 1) {
      if (!find(requests)) fail(name + (" after " + collective.name) + " missed a message");
      MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < kMessages; ++i) expect(got[i] == i, "message");
    }
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
      look_by_tests(group, collective);
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
