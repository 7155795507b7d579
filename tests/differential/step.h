// One step of a program: its generators, its words, and failures.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_STEP_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_STEP_H_

#include <mpi.h>

#include <cstdint>
#include <string>

#include "tests/differential/options.h"
#include "tests/differential/random.h"

namespace differential {

struct Step {
  Step(const Options& all_options, std::uint64_t program, int step_number, int world_rank,
       int thread_number);
  // Sleeps this rank for up to some milliseconds, now and then.
  void maybe_sleep();
  bool has(const char* feature) const { return options.has(feature); }

  const Options& options;
  std::uint64_t key;  // of the data; equal on all ranks
  int number;
  int thread;
  Random shared;         // equal on all ranks
  Random own;            // different on every rank
  std::string text;      // what is called; equal on all ranks of the communicator
  std::string own_text;  // what this rank passes
};

// What this thread does, for failures, crashes, and SIGUSR1, which makes a process say it.
void enter(int thread, const std::string& where);
void say_where_on_signal(int world_rank);

// Ends the job with a message that says where.
[[noreturn]] void fail(const std::string& where, const std::string& what);
// Fails where an MPI call did not succeed.
void require_success(int error, const std::string& where);

std::string where(const Step& step);

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_STEP_H_
