// Communicators that are made, used and freed again and again: reused
// copies|reversed|orders|dropped|long TIMES.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

int world_rank = 0;

[[noreturn]] void fail(const char* what, int time) {
  std::fprintf(stderr, "reused: rank %d, time %d: %s\n", world_rank, time, what);
  std::exit(1);  // the launcher ends the others
}

void use(MPI_Comm comm, int time, int words) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int call = 0; call < 3; ++call) {  // the first one is the MPI library's
    long sum = rank + time;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, comm);
    if (sum != long{ranks} * (ranks - 1) / 2 + long{ranks} * time) fail("wrong sum", time);
  }
  const int root = time % ranks;
  std::vector<int> data(static_cast<std::size_t>(words), rank == root ? time : -1);
  MPI_Bcast(data.data(), words, MPI_INT, root, comm);
  if (std::count(data.begin(), data.end(), time) != words) fail("wrong broadcast", time);
  int all = rank;
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (all != ranks - 1) fail("wrong maximum", time);
}

MPI_Comm copy() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

void use_and_free(MPI_Comm comm, int time, int words) {
  use(comm, time, words);
  MPI_Comm_free(&comm);
}

// So many communicators of some ranks at a time that these keep nothing older.
void drop_older(bool takes_part, int time) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, world_rank, &part);
  if (!takes_part) return;
  std::vector<MPI_Comm> comms(33);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(part, &comm);
  for (MPI_Comm comm : comms) use(comm, time, 10);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Comm_free(&part);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const std::string_view mode = argc > 2 ? argv[1] : "";
  const int times = argc > 2 ? std::atoi(argv[2]) : 0;
  for (int time = 0; time < times; ++time) {
    if (mode == "copies") {
      use_and_free(copy(), time, 20000);
    } else if (mode == "long") {
      use_and_free(copy(), time, 1 << 19);
    } else if (mode == "reversed") {
      use_and_free(copy(), time, 100);
      MPI_Comm reversed;
      MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
      use_and_free(reversed, time, 100);
    } else if (mode == "orders") {
      // Every rank frees them in an order of its own.
      std::vector<MPI_Comm> comms = {copy(), copy(), copy()};
      for (MPI_Comm comm : comms) use(comm, time, 5000);
      std::rotate(comms.begin(), comms.begin() + (world_rank + time) % 3, comms.end());
      for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    } else if (mode == "dropped") {
      use_and_free(copy(), time, 5000);
      drop_older(time % 2 == 0 ? world_rank > 0 : world_rank < 2, time);
    } else {
      fail("no such mode", 0);
    }
  }
  MPI_Finalize();
  return 0;
}
