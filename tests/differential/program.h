// A random program: steps that all ranks of a world draw alike from a seed.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_PROGRAM_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_PROGRAM_H_

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/differential/communicators.h"
#include "tests/differential/draft.h"
#include "tests/differential/options.h"
#include "tests/differential/pending.h"
#include "tests/differential/step.h"

namespace differential {

class Program {
 public:
  // `world` is not freed. Thread `thread` runs the program; what it says goes under that number.
  Program(MPI_Comm world, const Options& options, int thread);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void run();
  // Collective calls that this rank has checked as rank 0 of their communicators: summed over all
  // ranks, every call counts once.
  long calls() const { return calls_; }
  int steps() const { return steps_; }

 private:
  // One of the places for communicators, and the persistent calls made on what is there.
  struct Place {
    std::unique_ptr<Communicator> communicator;
    std::vector<std::shared_ptr<Call>> persistent;
  };
  static constexpr int kPlaces = 6;  // the first one is the world

  bool goes_on(int number) const;
  bool is_kept(int number) const;
  void run_step(int number);
  void collective(Step& step);
  void run_call(Step& step, CallPointer call, Communicator& on, Place& place);
  void start_again(Step& step);
  void make(Step& step);
  void empty(Step& step, Place& place);
  void make_between(Step& step);
  void free_between();
  void set_late_attribute(Step& step);
  void message(Step& step);
  void one_sided(Step& step);
  void look_after_barriers(Step& step);
  void finish();

  Place& place_of(Step& step);
  void announce(Step& step, const Communicator* on);
  void count(const Communicator& on) { calls_ += on.rank == 0 ? 1 : 0; }

  const Options& options_;
  int thread_;
  std::uint64_t seed_;
  int world_rank_ = 0;
  double end_ = 0;
  MPI_Comm control_ = MPI_COMM_NULL;  // when to end
  MPI_Comm talk_ = MPI_COMM_NULL;     // messages
  std::array<Place, kPlaces> places_;
  std::unique_ptr<InterCommunicator> between_;
  std::vector<std::unique_ptr<Wildcard>> wildcards_;  // of communicators freed early
  Pending pending_;
  long calls_ = 0;
  int steps_ = 0;
};

// Calls on an inter-communicator: some blocking, some not.
void call_between(Step& step, const InterCommunicator& between);

// Messages and one-sided communication on a communicator, without anything left pending.
void one_sided_epochs(Step& step, const Communicator& on);
// Begins to exchange messages of any length with neighbours.
std::vector<std::shared_ptr<Call>> begin_messages(Step& step, MPI_Comm talk);
// Messages sent before a barrier are seen after it.
void probe_after_barriers(Step& step, const Communicator& on);

// Calls with sizes that differ, each followed by a right one, on a communicator whose errors
// return.
void call_with_wrong_sizes(Step& step, const Communicator& on);

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_PROGRAM_H_
