// Load: soak [--seed N] [--seconds S] [--alive N] [--churn N] [--broadcasts N]
//
//   --seconds     random collectives on random communicators with random sleeps
//   --alive       that many communicators at a time, which hold at most --most-shared-kb each
//   --churn       that many made and freed, one after the other
//   --broadcasts  that many short ones (--words) back to back by a fast root, with a slow member
//
// Every value is checked, and memory, descriptors and mappings must be flat behind a warm-up.
#include <mpi.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/soak/calls.h"
#include "tests/soak/usage.h"
#include "third_party/cli11/cli.h"

namespace {

namespace cli = mpiactor::cli;

using namespace mpiactor::soak;

struct Options {
  std::uint64_t seed = 0;
  double seconds = 0;
  int alive = 0;
  std::uint64_t most_shared_kb = 0;  // of each; 0: not checked
  int churn = 0;
  std::uint64_t broadcasts = 0;
  int words = 4;                 // of each
  std::uint64_t most_ahead = 0;  // 0: not checked
  std::string label;
};

// Largest growth of a rank's memory behind the warm-up, in any of the parts. Of shared memory a
// process keeps up to 20 MB that nobody uses (docs/operations.md), besides what is in use.
constexpr Allowed kAllowed{8 << 10, (20 + 8) << 10};

// What every part begins with.
struct Job {
  Options options;
  Group world;

  // A number for call `call`, equal on all ranks.
  std::uint64_t draw(std::uint64_t call) const {
    return Random(options.seed + call * 0x2545f4914f6cdd1d).next();
  }
};

void say(const Job& job, const std::string& text) {
  if (job.world.rank != 0) return;
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

void free_group(Group& group) {
  if (group.comm != MPI_COMM_NULL) MPI_Comm_free(&group.comm);
}

void check_growth(const Job& job, const std::string& part, const Usage& warm, const Usage& end) {
  say(job, part + ": " + describe(warm) + " after the warm-up, " + describe(end) + " at the end");
  const std::string grown = growth(warm, end, kAllowed);
  if (!grown.empty()) fail(part + ": " + grown);
}

// Now and then a rank comes up to 3 ms late.
void maybe_sleep(Random& own) {
  if (own.below(12) == 0) usleep(static_cast<useconds_t>(own.below(3000)));
}

// A few communicators at a time, used in turns; then all are freed. Returns the next call's number.
std::uint64_t run_set(const Job& job, std::uint64_t call, Random& own) {
  constexpr int kCommunicators = 3;
  constexpr int kCalls = 60;
  Random choice(job.draw(call));
  std::vector<Group> groups;
  for (int i = 0; i < kCommunicators; ++i) groups.push_back(random_group(choice.next()));
  for (int i = 0; i < kCalls; ++i, ++call) {
    const Group& group = groups[static_cast<std::size_t>(choice.below(kCommunicators))];
    if (group.comm == MPI_COMM_NULL) continue;
    maybe_sleep(own);
    checked_call(group, job.draw(call));
  }
  for (Group& group : groups) free_group(group);
  return call;
}

// Whether rank 0's clock says that there is time: the same answer on all ranks.
bool goes_on(double end) {
  int on = MPI_Wtime() < end;
  PMPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return on != 0;
}

void mixture(const Job& job) {
  constexpr double kLongestWarmUpSeconds = 600;
  const double start = MPI_Wtime();
  const double warm_up = std::min(job.options.seconds / 3, kLongestWarmUpSeconds);
  Random own(job.options.seed ^ static_cast<std::uint64_t>(job.world.rank + 1) << 32);
  Usage warm;
  Usage end;
  std::uint64_t calls = 0;
  while (goes_on(start + job.options.seconds)) {
    calls = run_set(job, calls, own);
    end = usage_now();
    if (MPI_Wtime() < start + warm_up) warm = most_of(warm, end);
  }
  check_growth(job, "mixture of " + std::to_string(calls) + " calls", warm, end);
}

// Enough calls that the communicator has its container, and one more.
void use(const Job& job, const Group& group, std::uint64_t number) {
  constexpr std::uint64_t kCalls = 3;
  for (std::uint64_t i = 0; i < kCalls; ++i) checked_call(group, job.draw(number * kCalls + i));
}

std::uint64_t used_shared_kb() {
  struct statvfs facts;
  if (statvfs("/dev/shm", &facts) != 0) return 0;
  return (facts.f_blocks - facts.f_bfree) * facts.f_frsize / 1024;
}

// Of a /dev/shm that nobody else uses: what a communicator holds there, all of this machine's nodes
// together.
void check_shared(const Job& job, std::uint64_t before_kb, int count) {
  const std::uint64_t each_kb = (used_shared_kb() - before_kb) / static_cast<std::uint64_t>(count);
  say(job, std::to_string(each_kb) + " kB in /dev/shm for each");
  const std::uint64_t most_kb = job.options.most_shared_kb;
  if (most_kb != 0 && each_kb > most_kb)
    fail("a communicator holds " + std::to_string(each_kb) + " kB in /dev/shm, more than " +
         std::to_string(most_kb));
}

// Makes `count` communicators, uses them one by one, then in random order, and frees them.
void use_at_a_time(const Job& job, int count) {
  std::vector<Group> groups;
  MPI_Barrier(MPI_COMM_WORLD);  // all have freed what they had
  const std::uint64_t before_kb = used_shared_kb();
  for (int i = 0; i < count; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    groups.push_back(make_group(comm));
    use(job, groups.back(), static_cast<std::uint64_t>(i));
  }
  Random choice(job.options.seed);
  for (int i = 0; i < count; ++i) {
    use(job, groups[static_cast<std::size_t>(choice.below(count))],
        static_cast<std::uint64_t>(count + i));
  }
  say(job, std::to_string(count) + " communicators alive: " + describe(usage_now()));
  MPI_Barrier(MPI_COMM_WORLD);
  check_shared(job, before_kb, count);
  MPI_Barrier(MPI_COMM_WORLD);
  for (Group& group : groups) free_group(group);
}

// Twice: what the MPI library keeps of the first time, it uses again.
void alive(const Job& job, int count) {
  use_at_a_time(job, count);
  const Usage warm = usage_now();
  use_at_a_time(job, count);
  check_growth(job, "alive", warm, usage_now());
}

void churn(const Job& job, int count) {
  const int warm_up = std::max(count / 10, 1);
  Usage warm;
  for (int i = 0; i < count; ++i) {
    Group group = random_group(job.draw(static_cast<std::uint64_t>(i)));
    if (group.comm != MPI_COMM_NULL) use(job, group, static_cast<std::uint64_t>(i));
    free_group(group);
    if (i < warm_up) warm = most_of(warm, usage_now());
  }
  check_growth(job, "churn of " + std::to_string(count), warm, usage_now());
}

// How many calls each rank has ended, for all ranks to see.
class Counters {
 public:
  explicit Counters(const Group& world) : size_(world.size) {
    const MPI_Aint bytes = world.rank == 0 ? world.size * kStride : 0;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, world.comm, &first_, &window_);
    MPI_Aint all = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &all, &unit, &first_);
  }
  ~Counters() { MPI_Win_free(&window_); }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void set(int rank, std::uint64_t calls) { of(rank).store(calls, std::memory_order_relaxed); }
  std::uint64_t least() const {
    std::uint64_t result = ~std::uint64_t{0};
    for (int i = 0; i < size_; ++i)
      result = std::min(result, of(i).load(std::memory_order_relaxed));
    return result;
  }

 private:
  static constexpr MPI_Aint kStride = 128;
  std::atomic_ref<std::uint64_t> of(int rank) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(first_ + rank * kStride));
  }

  int size_;
  char* first_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

// Returns how far the root was ahead of the slowest rank at most, in calls (at the root).
std::uint64_t broadcast_back_to_back(const Job& job, std::uint64_t count, Counters& ended,
                                     Usage& warm) {
  constexpr std::uint64_t kCallsOfANap = 200;
  const Group& world = job.world;
  const int slow = world.size - 1;
  std::uint64_t ahead = 0;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(job.options.words));
  for (std::uint64_t call = 1; call <= count; ++call) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = world.rank == 0 ? word_of(call, 0, static_cast<int>(i)) : 0;
    }
    MPI_Bcast(words.data(), job.options.words, MPI_UINT64_T, 0, world.comm);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] != word_of(call, 0, static_cast<int>(i)))
        fail("wrong words in broadcast " + std::to_string(call));
    }
    ended.set(world.rank, call);
    if (world.rank == slow && call % kCallsOfANap == 0) usleep(1000);
    if (world.rank == 0) ahead = std::max(ahead, call - std::min(call, ended.least()));
    if (call == count / 10) warm = usage_now();
  }
  return ahead;
}

void broadcasts(const Job& job) {
  const Options& options = job.options;
  Counters ended(job.world);
  MPI_Barrier(job.world.comm);
  Usage warm;
  const double start = MPI_Wtime();
  const std::uint64_t ahead = broadcast_back_to_back(job, options.broadcasts, ended, warm);
  say(job, std::to_string(options.broadcasts) + " broadcasts in " +
               std::to_string(MPI_Wtime() - start) + " s; the root was up to " +
               std::to_string(ahead) + " calls ahead");
  if (options.most_ahead != 0 && ahead > options.most_ahead)
    fail("the root was " + std::to_string(ahead) + " calls ahead, more than " +
         std::to_string(options.most_ahead));
  check_growth(job, "broadcasts", warm, usage_now());
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("Load with checked results");
  Options options;
  app.add_option("--seed", options.seed, "of sizes, roots and communicators; 0: from the clock");
  app.add_option("--seconds", options.seconds, "of random collectives")
      ->check(cli::Range(0.0, 1e6));
  app.add_option("--alive", options.alive, "communicators at a time")
      ->check(cli::Range(0, 1'000'000));
  app.add_option("--most-shared-kb", options.most_shared_kb,
                 "in /dev/shm for each of them, where nobody else uses it; 0: any number");
  app.add_option("--churn", options.churn, "communicators made and freed")
      ->check(cli::Range(0, 1'000'000));
  app.add_option("--broadcasts", options.broadcasts, "short broadcasts back to back");
  app.add_option("--words", options.words, "of 8 bytes in each of them")
      ->check(cli::Range(1, 1'000'000));
  app.add_option("--most-ahead", options.most_ahead,
                 "calls that their root may be ahead of the slowest rank; 0: any number");
  app.add_option("--label", options.label, "nothing; tells this job's processes from others");
  if (const auto status = app.try_parse(argc, argv)) return *status;

  MPI_Init(&argc, &argv);
  if (options.seed == 0) options.seed = static_cast<std::uint64_t>(MPI_Wtime() * 1e6) + 1;
  PMPI_Bcast(&options.seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  const Job job{options, make_group(MPI_COMM_WORLD)};
  say(job, "--seed " + std::to_string(options.seed));
  if (options.seconds > 0) mixture(job);
  if (options.alive > 0) alive(job, options.alive);
  if (options.churn > 0) churn(job, options.churn);
  if (options.broadcasts > 0) broadcasts(job);
  say(job, "all parts done");
  MPI_Finalize();
  return 0;
}
