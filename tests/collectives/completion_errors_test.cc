// Errors of nonblocking and persistent collectives: what the functions that complete them say, and
// whose error handler hears of them.
#include <unwind.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/collectives/harness.h"
#include "tests/collectives/sequence.h"
#include "tests/persistent_names.h"

namespace {

using namespace mpiactor::testing;

int class_of(int error) {
  int result = MPI_SUCCESS;
  MPI_Error_class(error, &result);
  return result;
}

int handled = 0;
void count_errors(MPI_Comm*, int* error, ...) {
  const int found = class_of(*error);
  handled += found == MPI_ERR_TRUNCATE || found == MPI_ERR_COMM;
}

// A broadcast that all but its root have too little room for.
class ShortBcast {
 public:
  ShortBcast(Case& at, bool persistent)
      : root_(at.shared.below(at.group.size)),
        is_persistent_(persistent),
        buffer_(20, static_cast<Word>(at.group.rank)) {
    is_root_ = at.group.rank == root_;
    const int count = is_root_ ? 20 : 10;
    if (persistent) {
      MPI_Bcast_init(buffer_.data(), count, MPI_UINT64_T, root_, at.group.comm, MPI_INFO_NULL,
                     &request);
      MPI_Start(&request);
    } else {
      MPI_Ibcast(buffer_.data(), count, MPI_UINT64_T, root_, at.group.comm, &request);
    }
  }
  ~ShortBcast() {
    if (is_persistent_) MPI_Request_free(&request);
  }
  ShortBcast(const ShortBcast&) = delete;
  ShortBcast& operator=(const ShortBcast&) = delete;

  int expected() const { return is_root_ ? MPI_SUCCESS : MPI_ERR_TRUNCATE; }
  void check(Case& at) const {
    for (int i = 0; i < 20; ++i) {
      const int from = is_root_ || i < 10 ? root_ : at.group.rank;
      if (buffer_[static_cast<std::size_t>(i)] != static_cast<Word>(from)) fail(at, "a wrong word");
    }
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  int root_;
  bool is_persistent_;
  bool is_root_ = false;
  Words buffer_;
};

// The error handler that the communicator has when the call begins hears of it in MPI_Wait and
// MPI_Test: one that returns, one of the program's.
void error_handlers(Case& at) {
  const MPI_Comm comm = at.group.comm;
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(count_errors, &mine);
  for (const bool persistent : {false, true}) {
    for (const bool is_mine : {false, true}) {
      at.text = "the error handler of a communicator";
      MPI_Comm_set_errhandler(comm, is_mine ? mine : MPI_ERRORS_RETURN);
      handled = 0;
      ShortBcast call(at, persistent);
      int error = MPI_SUCCESS;
      if (at.own.one_in(2)) {
        error = MPI_Wait(&call.request, MPI_STATUS_IGNORE);
      } else {
        for (int flag = 0; !flag && error == MPI_SUCCESS;) {
          error = MPI_Test(&call.request, &flag, MPI_STATUS_IGNORE);
        }
      }
      if (class_of(error) != call.expected()) {
        fail(at, "error class " + std::to_string(class_of(error)));
      }
      const int expected = is_mine && call.expected() != MPI_SUCCESS ? 1 : 0;
      if (handled != expected) fail(at, "the handler was called " + std::to_string(handled));
      call.check(at);
    }
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&mine);
}

void throw_errors(MPI_Comm*, int* error, ...) { throw std::runtime_error(std::to_string(*error)); }

// The class of the error that a handler throws in `call`.
template <typename Call>
int thrown(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return class_of(std::stoi(error.what()));
  }
  return MPI_SUCCESS;
}

// An error handler may throw: the exception is the program's own.
void throwing_handlers(Case& at) {
  at.text = "an error handler that throws";
  const MPI_Comm comm = at.group.comm;
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(throw_errors, &mine);
  MPI_Comm_set_errhandler(comm, mine);
  Word word = 0;
  MPI_Request request;
  const int no_rank = at.group.size;
  for (const int error :
       {thrown([&] { MPI_Bcast(&word, 1, MPI_UINT64_T, no_rank, comm); }),
        thrown([&] { MPI_Ibcast(&word, 1, MPI_UINT64_T, no_rank, comm, &request); }),
        thrown([&] { MPI_Reduce(&word, &word, 1, MPI_UINT64_T, MPI_SUM, no_rank, comm); })}) {
    if (error != MPI_ERR_ROOT) fail(at, "error class " + std::to_string(error));
  }
  // Found by the runtime.
  const int root = at.shared.below(at.group.size);
  const int expected = at.group.rank == root ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
  std::array<Word, 2> words{};
  const int error = thrown(
      [&] { MPI_Bcast(words.data(), expected == MPI_SUCCESS ? 2 : 1, MPI_UINT64_T, root, comm); });
  if (error != expected) fail(at, "error class " + std::to_string(error));
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&mine);
}

// As Rust or Ada throw.
void throw_foreign(MPI_Comm*, int*, ...) {
  static _Unwind_Exception exception;
  exception = {};
  std::memcpy(&exception.exception_class, "FOREIGN", 8);
  _Unwind_RaiseException(&exception);
}

void foreign_exceptions(Case& at) {
  at.text = "an error handler that throws another language's exception";
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(throw_foreign, &mine);
  MPI_Comm_set_errhandler(at.group.comm, mine);
  bool is_caught = false;
  Word word = 0;
  try {
    MPI_Bcast(&word, 1, MPI_UINT64_T, at.group.size, at.group.comm);
  } catch (...) {
    is_caught = true;
  }
  if (!is_caught) fail(at, "no exception");
  MPI_Comm_set_errhandler(at.group.comm, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&mine);
}

#ifdef MPICH
// Its handler is the world's.
void freed_communicators(Case& at) {
  at.text = "a communicator that was freed";
  MPI_Comm comm;
  MPI_Comm_dup(at.group.comm, &comm);
  const MPI_Comm freed = comm;
  MPI_Comm_free(&comm);
  MPI_Request request;
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_errors, &counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
  handled = 0;
  for (const int error : {MPI_Barrier(freed), MPI_Ibarrier(freed, &request)}) {
    if (class_of(error) != MPI_ERR_COMM) fail(at, "error class " + std::to_string(error));
  }
  if (handled != 2) fail(at, "the handler was called " + std::to_string(handled));
  MPI_Errhandler_free(&counting);
  MPI_Errhandler throwing;
  MPI_Comm_create_errhandler(throw_errors, &throwing);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, throwing);
  for (const int error :
       {thrown([&] { MPI_Barrier(freed); }), thrown([&] { MPI_Ibarrier(freed, &request); })}) {
    if (error != MPI_ERR_COMM) fail(at, "error class " + std::to_string(error));
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&throwing);
}
#endif

// More of the program's error handlers than the runtime keeps, each for a call that is under way.
void many_handlers(Case& at) {
  at.text = "many error handlers";
  constexpr std::size_t kMany = 12;
  std::array<MPI_Errhandler, kMany> handlers;
  std::array<MPI_Request, kMany> requests;
  std::array<Word, kMany> values;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kMany; ++i) {
      MPI_Comm_create_errhandler(count_errors, &handlers[i]);
      MPI_Comm_set_errhandler(at.group.comm, handlers[i]);
      values[i] = i;
      MPI_Iallreduce(MPI_IN_PLACE, &values[i], 1, MPI_UINT64_T, MPI_SUM, at.group.comm,
                     &requests[i]);
      MPI_Errhandler_free(&handlers[i]);
    }
    MPI_Waitall(kMany, requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < kMany; ++i) {
      if (values[i] != i * static_cast<Word>(at.group.size)) fail(at, "a wrong sum");
    }
  }
  MPI_Comm_set_errhandler(at.group.comm, MPI_ERRORS_RETURN);
}

// An error among other requests: MPI_ERR_IN_STATUS, and each status says how its request stands.
void error_among_others(Case& at) {
  for (const bool persistent : {false, true}) {
    at.text = "an error among other requests";
    const Word call_number = at.shared.next();
    Words sums = words_of(call_number, at.group.rank, 3);
    std::array<MPI_Request, 3> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Iallreduce(MPI_IN_PLACE, sums.data(), 3, MPI_UINT64_T, MPI_SUM, at.group.comm,
                   &requests[0]);
    ShortBcast call(at, persistent);
    requests[2] = call.request;
    std::array<MPI_Status, 3> statuses;
    const int error = class_of(MPI_Waitall(3, requests.data(), statuses.data()));
    if (call.expected() == MPI_SUCCESS) {
      if (error != MPI_SUCCESS) fail(at, "error class " + std::to_string(error));
    } else if (error != MPI_ERR_IN_STATUS || class_of(statuses[0].MPI_ERROR) != MPI_SUCCESS ||
               class_of(statuses[2].MPI_ERROR) != call.expected()) {
      fail(at, "error classes " + std::to_string(error) + ", " +
                   std::to_string(class_of(statuses[0].MPI_ERROR)) + ", " +
                   std::to_string(class_of(statuses[2].MPI_ERROR)));
    }
    call.check(at);
    check_words(sums, sums_of(call_number, 0, at.group.size, 3), at);
  }
}

void check_errors(const Group& world, std::uint64_t seed) {
  for (int i = 0; i < 3; ++i) MPI_Barrier(world.comm);
  // The functions that complete several requests use the world's.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
  for (std::uint64_t number = 0; number < 3; ++number) {
    Case at(world, seed, number);
    error_handlers(at);
    throwing_handlers(at);
    foreign_exceptions(at);
    many_handlers(at);
#ifdef MPICH
    freed_communicators(at);
#endif
    error_among_others(at);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  check_errors(job.world(), job.seed());
  return 0;
}
