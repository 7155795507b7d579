// A program with functions of its own by names that C leaves to it, though POSIX or Linux have some
// by them: the runtime calls the system's.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

bool is_of_runtime(const void* address) {
  Dl_info object;
  return dladdr(address, &object) != 0 && object.dli_fname != nullptr &&
         std::string_view(object.dli_fname).find("libmpiactor") != std::string_view::npos;
}

}  // namespace

// What other libraries mean by it is the system's, too; MPI libraries call some of them.
#define OWN_FUNCTION(name)                                                                 \
  extern "C" __attribute__((visibility("default"))) long own_##name(                       \
      long a, long b, long c, long d, long e) __asm__(#name);                              \
  long own_##name(long a, long b, long c, long d, long e) {                                \
    if (is_of_runtime(__builtin_return_address(0))) {                                      \
      std::fprintf(stderr, "the runtime calls the program's " #name "()\n");               \
      std::abort();                                                                        \
    }                                                                                      \
    static auto* const system =                                                            \
        reinterpret_cast<long (*)(long, long, long, long, long)>(dlsym(RTLD_NEXT, #name)); \
    return system(a, b, c, d, e);                                                          \
  }                                                                                        \
  static_assert(true)

OWN_FUNCTION(poll);
OWN_FUNCTION(nanosleep);
OWN_FUNCTION(prctl);
OWN_FUNCTION(getrlimit);
OWN_FUNCTION(fchmod);
OWN_FUNCTION(ftruncate);
OWN_FUNCTION(munlock);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int wrong = 0;
  std::vector<int> many(100'000);
  // Long enough that those who wait sleep, and look whether the launcher is still there.
  const double end = MPI_Wtime() + 1.5;
  int is_over = 0;
  for (int call = 0; is_over == 0; ++call) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != ranks * (ranks - 1) / 2;
    for (int& word : many) word = rank == call % ranks ? call : -1;
    MPI_Bcast(many.data(), static_cast<int>(many.size()), MPI_INT, call % ranks, MPI_COMM_WORLD);
    for (const int word : many) wrong += word != call;
    MPI_Request request;
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += sum != ranks - 1;
    if (rank == 0) {
      for (const double resume = MPI_Wtime() + 0.02; MPI_Wtime() < resume;) {
      }
      is_over = MPI_Wtime() > end;
    }
    MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (wrong != 0) std::fprintf(stderr, "rank %d: %d wrong values\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
