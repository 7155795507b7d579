// Calls MPI_Finalize, and collectives before it, when the process ends: at_exit WHEN, where WHEN is
//   main        as usual
//   handler     in an exit handler that was registered after MPI_Init
//   early       in one that was registered before anything else
//   destructor  in a function that the linker has at the program's end
//   object      in the destructor of a static object
// Says on rank 0 how many values were wrong.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::string when;
int wrong = 0;

void check(bool is_right) {
  if (!is_right) ++wrong;
}

// Short and long ones of several kinds, on a communicator of their own and on MPI_COMM_WORLD.
void collectives() {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const double sum = ranks * (ranks - 1) / 2.0;
  for (const int count : {1, 100, 10'000, 100'000}) {
    const auto n = static_cast<std::size_t>(count);
    for (int root = 0; root < ranks; ++root) {
      std::vector<double> message(n, rank == root ? root + count : -1);
      MPI_Bcast(message.data(), count, MPI_DOUBLE, root, comm);
      check(message == std::vector<double>(n, root + count));
      const std::vector<double> own(n, rank);
      std::vector<double> result(n, -1);
      MPI_Allreduce(own.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      check(result == std::vector<double>(n, sum));
      MPI_Reduce(own.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, root, comm);
      check(rank != root || result == std::vector<double>(n, sum));
      std::vector<double> all(n * static_cast<std::size_t>(ranks), -1);
      MPI_Allgather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, comm);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] != static_cast<double>(i / n)) return check(false);
      }
      MPI_Barrier(comm);
    }
  }
  MPI_Comm_free(&comm);
}

void finish() {
  collectives();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  // Streams of C++ may be gone.
  if (rank == 0) std::printf("at_exit: wrong=%d\n", all_wrong);
  std::fflush(stdout);
  MPI_Finalize();
}

bool ends_by_destructor = false;

__attribute__((destructor)) void at_the_end() {
  if (ends_by_destructor) finish();
}

struct Ending {
  ~Ending() {
    if (is_asked) finish();
  }
  bool is_asked = false;
};
Ending ending;

}  // namespace

int main(int argc, char** argv) {
  when = argc > 1 ? argv[1] : "main";
  if (when == "early") std::atexit(finish);
  MPI_Init(&argc, &argv);
  if (when == "handler") std::atexit(finish);
  collectives();
  ends_by_destructor = when == "destructor";
  ending.is_asked = when == "object";
  if (when == "main") finish();
  return 0;
}
