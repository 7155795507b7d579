#include "tests/collectives/harness.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "tests/collectives/types.h"
#include "tests/leaders.h"
#include "third_party/cli11/cli.h"

// By single copy on this rank; absent where the runtime is not preloaded.
extern "C" long mpiactor_single_copy_calls() __attribute__((weak));

namespace mpiactor::testing {

namespace {

std::uint64_t seed_of_job = 0;  // for messages of failures

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : "default";
}

}  // namespace

std::vector<int> Random::permutation(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
  return order;
}

Group make_group(MPI_Comm comm, std::string name) {
  Group group{comm, 0, 0, std::move(name)};
  if (comm == MPI_COMM_NULL) return group;
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.size);
  return group;
}

void free_group(Group& group) {
  if (group.is_member()) MPI_Comm_free(&group.comm);
}

Group random_group(std::uint64_t choice) {
  Random random(choice);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm = MPI_COMM_NULL;
  switch (random.below(6)) {
    case 0:
    case 1:
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      return make_group(comm, "a copy of the world");
    case 2:
      MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
      return make_group(comm, "the world reversed");
    case 3:
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
      return make_group(comm, rank % 2 == 0 ? "even ranks" : "odd ranks");
    case 4:
      MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 ? MPI_UNDEFINED : 0, rank, &comm);
      return make_group(comm, "all but the last");
    default: {
      const std::vector<int> key = random.permutation(size);
      MPI_Comm_split(MPI_COMM_WORLD, 0, key[static_cast<std::size_t>(rank)], &comm);
      return make_group(comm, "the world shuffled");
    }
  }
}

Case::Case(const Group& members, std::uint64_t seed, std::uint64_t case_number)
    : group(members),
      number(case_number),
      shared(seed * 0x2545f4914f6cdd1d + case_number),
      own(shared.next() + static_cast<std::uint64_t>(members.rank) * 0x9e3779b9) {}

void Case::maybe_sleep() {
  if (own.one_in(12)) usleep(static_cast<useconds_t>(own.below(3000)));
}

Job::Job(int argc, char** argv, int thread_level) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, thread_level, &provided);
  world_ = make_group(MPI_COMM_WORLD, "the world");
  seconds_ = 1.0;
  cli::App app("Compares collectives of the preloaded runtime with those of the MPI library.");
  app.add_option("--seed", seed_, "0: from the clock")->envname("TEST_SEED");
  app.add_option("--seconds", seconds_, "how long cases are tried");
  double soak_seconds = 0;
  app.add_option("--soak-seconds", soak_seconds, "in place of --seconds")->envname("TEST_SECONDS");
  app.add_option("--first-case", first_case_, "begin near this case");
  app.add_flag("--long-blocks", blocks_are_long, "draw blocks that are worth single copy");
  app.add_option("--single-copy", single_copy_, "fail unless the runtime has used it, or has not")
      ->check(cli::IsMember({"used", "unused", "any"}));
  try {
    app.parse(argc, argv);
  } catch (const cli::ParseError& error) {
    app.exit(error);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (soak_seconds > 0) seconds_ = soak_seconds;
  if (provided < thread_level) fail("the MPI library gives too low a thread level");
  if (seed_ == 0) seed_ = static_cast<std::uint64_t>(MPI_Wtime() * 1e6) + 1;
  PMPI_Bcast(&seed_, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  seed_of_job = seed_;
  if (world_.rank == 0) {
    std::printf("TEST_SEED=%llu\n", static_cast<unsigned long long>(seed_));
    std::fflush(stdout);
  }
  end_ = MPI_Wtime() + seconds_;
}

Job::~Job() { MPI_Finalize(); }

bool Job::goes_on(std::uint64_t round) const {
  // On a busy machine, too, there is a round, and each of the leaders has one.
  int on = MPI_Wtime() < end_ || rounds_ == 0 || rounds_ < leaders().size();
  PMPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  ++rounds_;
  if (on != 0) set_leader_of_round(round);
  return on != 0;
}

namespace {

// Calls that go by single copy where anything does: blocks of 128 KiB, of which the communicator's
// first may go to the library.
void exchange_long_blocks(const Group& group) {
  constexpr int kCount = 32 << 10;
  const auto all = static_cast<std::size_t>(group.size) * kCount;
  std::vector<int> sent(all);
  for (std::size_t i = 0; i < all; ++i) sent[i] = group.rank + static_cast<int>(i) * group.size;
  for (int call = 0; call < 2; ++call) {
    std::vector<int> got(all, -1);
    MPI_Alltoall(sent.data(), kCount, MPI_INT, got.data(), kCount, MPI_INT, group.comm);
    for (std::size_t i = 0; i < all; ++i) {
      const int from = static_cast<int>(i) / kCount;
      const int index = group.rank * kCount + static_cast<int>(i) % kCount;
      if (got[i] != from + index * group.size)
        fail("a wrong number from rank " + std::to_string(from));
    }
  }
}

}  // namespace

void Job::report(std::uint64_t cases) const {
  if (cases == 0) fail("no case was tried");
  if (!single_copy_.empty()) exchange_long_blocks(world_);
  long calls = mpiactor_single_copy_calls ? mpiactor_single_copy_calls() : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (world_.rank == 0) {
    std::printf("%llu cases, %ld calls by single copy\n",
                static_cast<unsigned long long>(cases - first_case_), calls);
  }
  if ((single_copy_ == "used" && calls == 0) || (single_copy_ == "unused" && calls != 0)) {
    fail("single copy: " + std::to_string(calls) + " calls, expected: " + single_copy_);
  }
}

void fail(const std::string& what) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "rank %d (MPIACTOR_NODES %s, leaders %s): %s; TEST_SEED=%llu\n", rank,
               environment("MPIACTOR_NODES").c_str(), leader_now().c_str(), what.c_str(),
               static_cast<unsigned long long>(seed_of_job));
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void fail(const Case& at, const std::string& what) {
  fail(at.text + ": " + what + "; rank " + std::to_string(at.group.rank) + " of " +
       std::to_string(at.group.size) + " in " + at.group.name + ", case " +
       std::to_string(at.number));
}

}  // namespace mpiactor::testing
