// What every program of this folder shares: seeds and time from the command line, groups of ranks
// over random communicators, and failures that say how to repeat them.
#ifndef MPIACTOR_TESTS_COLLECTIVES_HARNESS_H_
#define MPIACTOR_TESTS_COLLECTIVES_HARNESS_H_

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mpiactor::testing {

// A small generator that is cheap to seed: every case has its own. (splitmix64)
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 <= result < n.
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  std::vector<int> permutation(int n);

 private:
  std::uint64_t state_;
};

// The calling rank's place in a communicator.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
  std::string name;

  bool is_member() const { return comm != MPI_COMM_NULL; }
};
Group make_group(MPI_Comm comm, std::string name);
void free_group(Group& group);

// A communicator over some ranks of the world in some order: a copy, reversed, halves, a random
// split. `choice` must be equal on all ranks of the world; not every rank need be a member.
Group random_group(std::uint64_t choice);

// One of a program's cases: numbered, with generators of its own.
struct Case {
  Case(const Group& members, std::uint64_t seed, std::uint64_t number);
  // Sleeps this rank for up to some milliseconds, now and then, as `own` decides.
  void maybe_sleep();

  const Group& group;
  std::uint64_t number;
  Random shared;     // equal on all ranks of the group
  Random own;        // different on every rank
  std::string text;  // what is being called, for failures
};

// Begins and ends MPI. Reads --seed (or TEST_SEED; from the clock otherwise), --seconds
// (TEST_SECONDS goes before it), --first-case, --long-blocks and --single-copy; says the seed.
class Job {
 public:
  Job(int argc, char** argv, int thread_level = MPI_THREAD_SINGLE);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  std::uint64_t seed() const { return seed_; }
  double seconds() const { return seconds_; }
  std::uint64_t first_case() const { return first_case_; }
  const Group& world() const { return world_; }

  // Whether the time given has not passed yet, or a leader had no round: the same answer on all
  // ranks. If so the leaders are those of this round. Collective.
  bool goes_on(std::uint64_t round) const;

  // Calls run(group, number) for numbered cases until time is up, over groups that are replaced now
  // and then; every group is used for several cases, and every rank calls only for its own groups.
  template <typename Run>
  void run_cases(Run&& run) const {
    constexpr std::uint64_t kCasesOfAGroup = 12;
    std::uint64_t number = first_case_ / kCasesOfAGroup * kCasesOfAGroup;
    while (goes_on(number / kCasesOfAGroup)) {
      Group group = random_group(Random(seed_ ^ number).next());
      for (std::uint64_t i = 0; i < kCasesOfAGroup; ++i, ++number) {
        if (group.is_member()) run(group, number);
      }
      free_group(group);
    }
    report(number);
  }

  // Says how many cases there were; fails where none was tried, or single copy was not used as
  // --single-copy wants it.
  void report(std::uint64_t cases) const;

 private:
  std::uint64_t seed_ = 0;
  double seconds_ = 0;
  double end_ = 0;
  mutable std::size_t rounds_ = 0;
  std::uint64_t first_case_ = 0;
  std::string single_copy_;
  Group world_;
};

// Ends the job with a message that names rank, layout, case and seed.
[[noreturn]] void fail(const Case& at, const std::string& what);
[[noreturn]] void fail(const std::string& what);

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_HARNESS_H_
