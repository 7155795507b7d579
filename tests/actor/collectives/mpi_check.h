// For MPI test programs: a failed check says where and what on which rank, and ends the job.
#ifndef MPIACTOR_TESTS_ACTOR_COLLECTIVES_MPI_CHECK_H_
#define MPIACTOR_TESTS_ACTOR_COLLECTIVES_MPI_CHECK_H_

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/leaders.h"

namespace mpiactor::testing {

[[noreturn]] inline void fail(const char* file, int line, const std::string& text,
                              const std::string& context = "") {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "%s:%d: rank %d (leaders %s): %s %s\n", file, line, rank,
               leader_now().c_str(), text.c_str(), context.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

template <typename A, typename B>
[[noreturn]] void fail_unequal(const char* file, int line, const char* what, const A& a, const B& b,
                               const std::string& context) {
  std::ostringstream text;
  text << what << ": " << a << " != " << b << " " << context;
  fail(file, line, text.str());
}

// The seed of a random test: MPIACTOR_TEST_SEED, or from the clock, equal on all ranks and printed.
inline std::uint64_t agreed_seed() {
  unsigned long long seed = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const char* text = std::getenv("MPIACTOR_TEST_SEED");
    seed = text ? std::strtoull(text, nullptr, 10)
                : static_cast<unsigned long long>(MPI_Wtime() * 1e6);
    std::printf("seed %llu\n", seed);
    std::fflush(stdout);
  }
  PMPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  return seed;
}

// How many calls the preloaded runtime has handled itself on this rank; -1 without it.
extern "C" long mpiactor_hybrid_calls() __attribute__((weak));
inline long hybrid_calls() { return mpiactor_hybrid_calls ? mpiactor_hybrid_calls() : -1; }

}  // namespace mpiactor::testing

// `context` is evaluated where they differ alone: it is mostly a text, and made for each number.
#define CHECK_EQUAL(a, b, context)                                                       \
  [&](const auto& value_checked, const auto& value_wanted) {                             \
    if (!(value_checked == value_wanted)) {                                              \
      ::mpiactor::testing::fail_unequal(__FILE__, __LINE__, #a " == " #b, value_checked, \
                                        value_wanted, context);                          \
    }                                                                                    \
  }(a, b)
#define CHECK(condition, context) \
  ((condition) ? void() : ::mpiactor::testing::fail(__FILE__, __LINE__, #condition, context))

#endif  // MPIACTOR_TESTS_ACTOR_COLLECTIVES_MPI_CHECK_H_
