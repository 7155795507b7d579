// Of some ranks that run without the runtime, as the others are to find out: partial CALL. The
// first call is bcast, allreduce, ibcast, receive (of anything from anybody) or iprobe. What comes
// is what this program has sent, or nothing; anything else is printed as "partial: wrong data".
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kTag = 7;
constexpr int kValue = 4711;
constexpr int kMost = 4096;

void check(bool right) {
  if (right) return;
  std::printf("partial: wrong data\n");
  std::fflush(stdout);
}

void check_value(int value) { check(value == kValue); }

int wait_for(MPI_Request request, int* value) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return *value;
}

// From rank 0 to all others.
void receive(int rank, int ranks) {
  int buffer[kMost] = {kValue};
  if (rank == 0) {
    for (int other = 1; other < ranks; ++other) {
      MPI_Send(buffer, 1, MPI_INT, other, kTag, MPI_COMM_WORLD);
    }
    return;
  }
  MPI_Status status;
  int count = 0;
  MPI_Recv(buffer, kMost, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == 1 && status.MPI_SOURCE == 0 && status.MPI_TAG == kTag && buffer[0] == kValue);
}

// Nobody sends anything.
void probe() {
  for (int look = 0; look < 3000; ++look) {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    check(flag == 0);
    usleep(1000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  const std::string call = argv[1];
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int value = rank == 0 ? kValue : 0;
  if (call == "bcast") {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check_value(value);
  } else if (call == "allreduce") {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_value(value);
  } else if (call == "ibcast") {
    MPI_Request request;
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    check_value(wait_for(request, &value));
  } else if (call == "receive") {
    receive(rank, ranks);
  } else if (call == "iprobe") {
    probe();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
