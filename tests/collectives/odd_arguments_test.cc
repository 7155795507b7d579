// Every entry with every kind of odd argument: on each rank in turn, the others' being ordinary,
// and on all. Each call is made by its PMPI_ name first: error class, calls of the error handler
// and every byte of the buffers and of what lies around them must then be the same by its MPI_
// name.
//
//   odd_arguments_test [--verbose] [--bindings plain|mixed|large|all]
//                      [--keep-going] [--first-group N] [--only TEXT] [--every N] [--patience
//                      SECONDS]
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/odd_kinds.h"
#include "third_party/cli11/cli.h"

namespace {

namespace cli = mpiactor::cli;

using namespace mpiactor::testing;

// Ints of a block: a few, more than what is sent with a word of notice, a long message.
constexpr std::array<MPI_Count, 3> kWords = {4, 300, 6000};

enum class Binding : unsigned { kPlain, kMixed, kLarge };
constexpr std::array<const char*, 3> kBindingNames = {"plain", "_c on one rank", "_c"};

struct Options {
  bool verbose = false;
  bool keep_going = false;
  int first_group = 0;
  long every = 1;
  unsigned patience_s = 40;
  std::string bindings = "all";
  std::string only;
};

// What is being called, for failures and the watchdog.
struct At {
  int group = 0;
  Entry entry = Entry::kBarrier;
  const char* kind = "";
  Binding binding = Binding::kPlain;
  Place place;
  const char* phase = "";
} at;

int handler_calls = 0;
void count_errors(MPI_Comm*, int*, ...) { ++handler_calls; }

void describe(char* text, std::size_t bytes) {
  std::snprintf(text, bytes, "group %d: %s, %s, %s; odd rank %d of %d, root %d, %lld ints, by %s",
                at.group, kEntryNames[static_cast<std::size_t>(at.entry)], at.kind,
                kBindingNames[static_cast<std::size_t>(at.binding)], at.place.odd, at.place.size,
                at.place.root, static_cast<long long>(at.place.words), at.phase);
}

// Says which call it was, and ends as the signal would.
void on_signal(int signal) {
  char text[400];
  describe(text, sizeof text);
  std::fprintf(stderr, "rank %d %s in %s\n", at.place.rank, signal == SIGALRM ? "hangs" : "crashes",
               text);
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

class Run {
 public:
  Run(const Options& options, int rank, int size) : options_(options), rank_(rank), size_(size) {
    MPI_Comm_create_errhandler(count_errors, &counting_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting_);
    // Small numbers: sums fit.
    words_.resize(4 * region_of(kWords.back()) / sizeof(int) +
                  static_cast<std::size_t>(size + 1) * 131);
    unsigned value = 1;
    for (int& word : words_) {
      value = value * 1664525 + 1013904223;
      word = static_cast<int>(value >> 24);
    }
    memory_.reserve(words_.size());
    expected_memory_.reserve(words_.size());
  }
  ~Run() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    MPI_Errhandler_free(&counting_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void run_all(const std::vector<Kind>& kinds, bool alone) {
    for (unsigned entry = 0; entry < kEntryNames.size(); ++entry) {
      for (const Kind& kind : kinds) {
        if (contains(kind.entries, static_cast<Entry>(entry))) {
          run_group(static_cast<Entry>(entry), kind, alone);
        }
      }
    }
  }

  long cases() const { return cases_; }
  long failures() const { return failures_; }

 private:
  void renew_communicator() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, counting_);
  }

  // Twice the blocks, for types with gaps, and a margin.
  std::size_t region_of(MPI_Count words) const {
    return sizeof(int) * 2 * static_cast<std::size_t>((words + 4 * size_) * size_ + 64);
  }

  bool is_wanted(Entry entry, const Kind& kind) const {
    if (at.group < options_.first_group) return false;
    const std::string name =
        std::string(kEntryNames[static_cast<std::size_t>(entry)]) + ", " + kind.name;
    return name.find(options_.only) != std::string::npos;
  }

  void run_group(Entry entry, const Kind& kind, bool alone) {
    ++at.group;
    if (!is_wanted(entry, kind)) return;
    at.entry = entry;
    at.kind = kind.name;
    if (options_.verbose && rank_ == 0) {
      std::printf("group %d: %s, %s\n", at.group, kEntryNames[static_cast<std::size_t>(entry)],
                  kind.name);
      std::fflush(stdout);
    }
    // The first call of a communicator may have more to do, so many kinds get one of their own.
    if (comm_ == MPI_COMM_NULL || (at.group + size_) % 3 == 0) renew_communicator();
    const bool has_root = contains(kRooted, entry);
    unsigned variant = 0;
    for (std::size_t length = 0; length < kWords.size(); ++length) {
      for (const int root : {0, size_ - 1}) {
        if (root != 0 && !has_root) continue;
        for (int odd = kAllRanks; odd < size_; ++odd) {
          const bool fits = kind.who == Who::kAny || odd == kAllRanks ||
                            (kind.who == Who::kRoot && odd == root) ||
                            (kind.who == Who::kNonRoot && odd != root);
          if (!fits || (alone && odd == kAllRanks)) continue;
          ++variant;
          // Long ones now and then.
          if (length == 2 && variant % 3 != 0) continue;
          const Place place{
              rank_, size_, root, odd, kWords[length], variant, region_of(kWords[length])};
          run_case(entry, kind, place, alone);
        }
      }
    }
  }

  Binding binding_of(const Place& place) const {
    if (options_.bindings == "plain") return Binding::kPlain;
    if (options_.bindings == "mixed") return Binding::kMixed;
    if (options_.bindings == "large") return Binding::kLarge;
    return static_cast<Binding>((place.variant / 2) % 3);
  }

  bool is_large(const Place& place) const {
    return at.binding == Binding::kLarge ||
           (at.binding == Binding::kMixed &&
            (place.odd == kAllRanks ? rank_ % 2 == 1 : rank_ == place.odd));
  }

  void run_case(Entry entry, const Kind& kind, const Place& place, bool alone) {
    ++count_;
    if (count_ % options_.every != 0) return;
    ++cases_;
    at.place = place;
    at.binding = binding_of(place);
    alarm(options_.patience_s);
    memory_.resize(4 * place.region / sizeof(int));  // calls name addresses in it
    if (!alone || place.is_odd()) compare(entry, place, kind);
    if (alone) {
      // The mistake has left nothing behind.
      const Kind right = dummies().front();
      compare(entry, place, right);
    }
    alarm(0);
  }

  void compare(Entry entry, const Place& place, const Kind& kind) {
    OddCall call;
    call.entry = entry;
    call.is_large = is_large(place);
    make_ordinary(call, place, kind.blocks, reinterpret_cast<std::byte*>(memory_.data()));
    if (kind.prepare) kind.prepare(call, place);
    const bool fits = kind.who == Who::kAny || kind.who == Who::kTogether ||
                      (kind.who == Who::kRoot) == place.is_root();
    const bool is_odd = place.is_odd() && fits;
    if (is_odd) kind.make_odd(call, place);
    at.phase = "the MPI library";
    const Outcome expected = make_call(call, true);
    expected_memory_ = memory_;
    at.phase = "the program";
    const Outcome got = make_call(call, false);
    if ((expected.error_class != MPI_SUCCESS) != (is_odd && kind.is_refused)) {
      fail("the MPI library itself returns class " + std::to_string(expected.error_class));
    } else if (got.error_class != expected.error_class) {
      fail("error class " + std::to_string(got.error_class) + ", not " +
           std::to_string(expected.error_class));
    } else if (got.handler_calls != expected.handler_calls) {
      fail(std::to_string(got.handler_calls) + " calls of the error handler, not " +
           std::to_string(expected.handler_calls));
    } else if (memory_ != expected_memory_) {
      const auto [mine, other] =
          std::mismatch(memory_.begin(), memory_.end(), expected_memory_.begin());
      fail("int " + std::to_string(mine - memory_.begin()) + " is " + std::to_string(*mine) +
           ", not " + std::to_string(*other) + "; buffers at " +
           std::to_string(place.region / sizeof(int)) + " and " +
           std::to_string(3 * place.region / sizeof(int)));
    }
  }

  struct Outcome {
    int error_class = 0;
    int handler_calls = 0;
  };

  Outcome make_call(const OddCall& call, bool by_library) {
    const auto begin = static_cast<std::size_t>(rank_) * 131 + at.place.variant % 128;
    memory_.assign(&words_[begin], &words_[begin + 4 * at.place.region / sizeof(int)]);
    handler_calls = 0;
    const int error = perform(call, comm_, by_library);
    Outcome outcome{MPI_SUCCESS, handler_calls};
    MPI_Error_class(error, &outcome.error_class);
    return outcome;
  }

  void fail(const std::string& what) {
    ++failures_;
    char text[400];
    describe(text, sizeof text);
    std::fprintf(stderr, "rank %d: %s: %s\n", rank_, text, what.c_str());
    if (!options_.keep_going) MPI_Abort(MPI_COMM_WORLD, 1);
  }

  const Options& options_;
  int rank_;
  int size_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler counting_ = MPI_ERRHANDLER_NULL;
  std::vector<int> words_;
  std::vector<int> memory_;
  std::vector<int> expected_memory_;
  long count_ = 0;
  long cases_ = 0;
  long failures_ = 0;
};

std::vector<Kind> right_kinds() {
  std::vector<Kind> all;
  for (const auto& kinds :
       {dummies(), empty_blocks(), absolute_addresses(), shared_buffers(), unusual_types()}) {
    all.insert(all.end(), kinds.begin(), kinds.end());
  }
  return all;
}

int run(const Options& options) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  at.place.rank = rank;
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
    std::signal(signal, on_signal);
  }
  Run tests(options, rank, size);
  tests.run_all(right_kinds(), false);
  tests.run_all(mistakes(), true);
  long failures = tests.failures();
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%ld cases, %ld failures on all ranks, %ld handled by the runtime on rank 0\n",
                tests.cases(), failures, hybrid_calls());
  }
  CHECK(tests.cases() > 0, "no case was tried");
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  cli::App app("Calls collectives with odd arguments on one rank.");
  app.add_flag("--verbose", options.verbose, "say what is being called");
  app.add_flag("--keep-going", options.keep_going, "count wrong results");
  app.add_option("--first-group", options.first_group, "begin there");
  app.add_option("--every", options.every, "of all cases");
  app.add_option("--patience", options.patience_s, "seconds until a call hangs");
  app.add_option("--bindings", options.bindings, "which of the two, and on which ranks")
      ->check(cli::IsMember({"plain", "mixed", "large", "all"}));
  app.add_option("--only", options.only, "entries and kinds with this in their name");
  if (const auto status = app.try_parse(argc, argv)) return *status;
  MPI_Init(&argc, &argv);
  const int status = run(options);
  MPI_Finalize();
  return status;
}
