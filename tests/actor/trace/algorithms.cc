// Every collective that goes by a plan between nodes, short and long, for algorithms_test.py. With
// the argument "switch" the calls are made under static leaders, then under competitive ones; an
// allreduce that is begun under either goes on under the other.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <vector>

extern "C" int mpiactor_set_leader(const char* name) __attribute__((weak));

namespace {

int rank = 0;
int ranks = 0;

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int sum_of_ranks() { return ranks * (ranks - 1) / 2; }

void run_collectives(int elements) {
  const auto count = static_cast<std::size_t>(elements);
  const auto all = count * static_cast<std::size_t>(ranks);
  std::vector<int> one(count, rank);
  std::vector<int> many(all, rank);
  std::vector<int> out(all, -1);
  const auto ends_well = [&](const std::vector<int>& got, int first, int last, const char* what) {
    check(got.front() == first && got.back() == last, what);
  };
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(one.data(), out.data(), elements, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  check(rank != 1 || (out[0] == sum_of_ranks() && out[count - 1] == sum_of_ranks()), "reduce");
  MPI_Allreduce(one.data(), out.data(), elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(out[0] == sum_of_ranks() && out[count - 1] == sum_of_ranks(), "allreduce");
  MPI_Allgather(one.data(), elements, MPI_INT, out.data(), elements, MPI_INT, MPI_COMM_WORLD);
  ends_well(out, 0, ranks - 1, "allgather");
  MPI_Alltoall(many.data(), elements, MPI_INT, out.data(), elements, MPI_INT, MPI_COMM_WORLD);
  ends_well(out, 0, ranks - 1, "alltoall");
  MPI_Bcast(one.data(), elements, MPI_INT, 1, MPI_COMM_WORLD);
  ends_well(one, 1, 1, "bcast");
}

void set_leader(const char* name) {
  check(mpiactor_set_leader != nullptr && mpiactor_set_leader(name) == 0, "the leader");
}

// Waits under another leader than that under which the call was made.
void begin_and_switch(const char* other) {
  int mine = rank;
  int sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  set_leader(other);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(sum == sum_of_ranks(), "iallreduce");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool switches = argc > 1 && std::strcmp(argv[1], "switch") == 0;
  if (switches) set_leader("static");
  for (const int elements : {1, 2000}) run_collectives(elements);
  if (switches) {
    begin_and_switch("competitive");
    for (const int elements : {1, 2000}) run_collectives(elements);
    begin_and_switch("static");
  }
  MPI_Finalize();
  return 0;
}
