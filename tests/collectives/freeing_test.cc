// Delete callbacks that call collectives on the communicator that is being freed, and communicators
// that get its handle afterwards; a communicator that a callback keeps alive; frees that are
// errors. And callbacks of MPI_COMM_SELF, which MPI_Finalize calls.
// --threads: two threads free communicators at the same time.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int world_rank = 0;

void check(bool right, const char* what, int line) {
  if (right) return;
  std::fprintf(stderr, "freeing_test: rank %d, line %d: %s\n", world_rank, line, what);
  std::exit(1);  // the launcher ends the others
}
#define CHECK(condition) check(condition, #condition, __LINE__)

void check_sum(MPI_Comm comm, int count, int salt) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<long> words(static_cast<std::size_t>(count), rank + salt);
  MPI_Allreduce(MPI_IN_PLACE, words.data(), count, MPI_LONG, MPI_SUM, comm);
  const long expected = long{ranks} * (ranks - 1) / 2 + long{ranks} * salt;
  for (const long word : words) CHECK(word == expected);
}

void check_broadcast(MPI_Comm comm, int count, int root, int value) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<int> words(static_cast<std::size_t>(count), rank == root ? value : -1);
  MPI_Bcast(words.data(), count, MPI_INT, root, comm);
  for (const int word : words) CHECK(word == value);
}

void use(MPI_Comm comm, int rounds) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  for (int round = 0; round < rounds; ++round) {
    check_sum(comm, 1, round);
    check_broadcast(comm, 5, round % ranks, 100 + round);
    check_sum(comm, 3000, 7 * round);
    check_broadcast(comm, 20000, (round + 1) % ranks, round);
    MPI_Barrier(comm);
  }
}

// What a callback does: collectives, as often as its value says, then its refusal, if that is set.
struct Duty {
  int rounds = 0;
  bool refuses = false;
  bool copies = false;  // the communicator, too
  int calls = 0;
};

int on_delete(MPI_Comm comm, int, void* value, void*) {
  Duty& duty = *static_cast<Duty*>(value);
  ++duty.calls;
  use(comm, duty.rounds);
  if (duty.copies) {
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    use(copy, duty.rounds);
    MPI_Comm_free(&copy);
  }
  return duty.refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

class Keyval {
 public:
  Keyval() { MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval_, nullptr); }
  ~Keyval() { MPI_Comm_free_keyval(&keyval_); }
  Keyval(const Keyval&) = delete;
  Keyval& operator=(const Keyval&) = delete;
  void attach(MPI_Comm comm, Duty& duty) const { MPI_Comm_set_attr(comm, keyval_, &duty); }

 private:
  int keyval_ = MPI_KEYVAL_INVALID;
};

using Free = int (*)(MPI_Comm*);
constexpr std::array<Free, 4> kWays = {MPI_Comm_free, PMPI_Comm_free, MPI_Comm_disconnect,
                                       PMPI_Comm_disconnect};

enum class Order { kBefore, kAfter, kOddBefore, kOddAfter, kNever };

// One communicator after the other, with the same handle: those that are freed while a callback
// works on them, those that are not.
void free_while_in_use(MPI_Comm parent, const Keyval& keyval, Order order, int rounds, Free free) {
  const bool is_odd = world_rank % 2 == 1;
  const bool before = order == Order::kBefore || (order == Order::kOddBefore && is_odd) ||
                      (order == Order::kOddAfter && !is_odd);
  Duty duty{.rounds = rounds};
  MPI_Comm comm;
  MPI_Comm_dup(parent, &comm);
  if (before) keyval.attach(comm, duty);
  if (order != Order::kNever) use(comm, 2);
  if (!before) keyval.attach(comm, duty);
  CHECK(free(&comm) == MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
  CHECK(duty.calls == 1);
  // Other members, in another order.
  MPI_Comm_split(parent, is_odd, -world_rank, &comm);
  use(comm, 3);
  CHECK(free(&comm) == MPI_SUCCESS);
}

void test_orders(MPI_Comm parent, int times) {
  const Keyval keyval;
  for (int time = 0; time < times; ++time) {
    for (const Order order :
         {Order::kBefore, Order::kAfter, Order::kOddBefore, Order::kOddAfter, Order::kNever}) {
      for (const int rounds : {1, 2}) {
        free_while_in_use(parent, keyval, order, rounds,
                          kWays[static_cast<std::size_t>(time) % kWays.size()]);
      }
    }
  }
}

// The communicator lives on where a callback returns an error, whatever was deleted before it.
void test_refusal() {
  const Keyval keyval;
  // MPICH raises the error of a communicator on MPI_COMM_WORLD when it is half freed.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const bool before : {true, false}) {
    Duty duty{.rounds = 1, .refuses = true};
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (before) keyval.attach(comm, duty);
    use(comm, 2);
    if (!before) keyval.attach(comm, duty);
    const MPI_Comm handle = comm;
    CHECK(MPI_Comm_free(&comm) != MPI_SUCCESS);
    CHECK(comm == handle);
    use(comm, 3);
    duty = {};
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, 3);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int class_of(int error) {
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  return error_class;
}

// Of one rank alone: it changes nothing.
void test_errors() {
  use(MPI_COMM_WORLD, 2);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (world_rank == 1) {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK(class_of(MPI_Comm_free(&comm)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Comm_disconnect(&comm)) == MPI_ERR_COMM);
    comm = MPI_COMM_WORLD;
    CHECK(class_of(MPI_Comm_free(&comm)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Comm_free(nullptr)) == MPI_ERR_ARG);
    comm = MPI_COMM_SELF;
    CHECK(class_of(MPI_Comm_free(&comm)) == MPI_ERR_COMM);
  }
  use(MPI_COMM_WORLD, 2);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void test_threads() {
  std::array<MPI_Comm, 2> parents;
  for (MPI_Comm& parent : parents) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  std::thread other([&] { test_orders(parents[1], 2); });
  test_orders(parents[0], 2);
  other.join();
  for (MPI_Comm& parent : parents) MPI_Comm_free(&parent);
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && argv[1] == std::string_view("--threads");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (threads) {
    test_threads();
  } else {
    test_orders(MPI_COMM_WORLD, 4);
    test_refusal();
    test_errors();
  }
  Duty at_end{.rounds = 2, .copies = true};
  Keyval().attach(MPI_COMM_SELF, at_end);
  use(MPI_COMM_SELF, 1);  // what the runtime may attach goes first
  MPI_Finalize();
  CHECK(at_end.calls == 1);
  return 0;
}
