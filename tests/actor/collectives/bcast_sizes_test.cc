// Broadcasts in which some ranks expect another size than the root sends: MPI_ERR_TRUNCATE where
// there is too little room, MPI_ERR_OTHER (of a nonblocking one MPI_ERR_TRUNCATE) where there is
// too much, the whole message everywhere else, and right broadcasts afterwards. Argument: how many
// wrong ones.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/actor/collectives/message.h"
#include "tests/actor/collectives/mpi_check.h"

namespace {

constexpr std::uint8_t kGuard = 0xa5;
constexpr std::size_t kGuardBytes = 64;

int rank = 0;
int ranks = 0;
MPI_Comm comm = MPI_COMM_NULL;

int class_of(int error) {
  int error_class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  return error_class;
}

// What all ranks know of one broadcast.
struct Call {
  std::uint64_t number = 0;
  int root = 0;
  bool nonblocking = false;
  std::vector<std::size_t> sizes;  // of each rank
  std::string text() const {
    std::string out = "call " + std::to_string(number) + ", root " + std::to_string(root) +
                      (nonblocking ? ", nonblocking, sizes" : ", sizes");
    for (const std::size_t size : sizes) out += " " + std::to_string(size);
    return out;
  }
};

void run(const Call& call) {
  const std::size_t mine = call.sizes[static_cast<std::size_t>(rank)];
  const std::size_t sent = call.sizes[static_cast<std::size_t>(call.root)];
  std::vector<std::uint8_t> data(mine + kGuardBytes, kGuard);
  const mpiactor::testing::Message message(call.number);
  if (rank == call.root) message.fill(data.data(), mine);
  int error = MPI_SUCCESS;
  if (call.nonblocking) {
    MPI_Request request;
    MPI_Ibcast(data.data(), static_cast<int>(mine), MPI_BYTE, call.root, comm, &request);
    error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    error = MPI_Bcast(data.data(), static_cast<int>(mine), MPI_BYTE, call.root, comm);
  }
  // A request can only say the one.
  const int too_little = call.nonblocking ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
  const int expected = sent == mine ? MPI_SUCCESS : sent > mine ? MPI_ERR_TRUNCATE : too_little;
  if (class_of(error) != expected) CHECK_EQUAL(class_of(error), expected, call.text());
  const std::size_t got = std::min(sent, mine);
  const std::size_t wrong = message.first_wrong(data.data(), got);
  if (wrong != got) {
    CHECK_EQUAL(int{data[wrong]}, int{message[wrong]},
                "byte " + std::to_string(wrong) + ", " + call.text());
  }
  for (std::size_t i = got; i < data.size(); ++i) {
    if (data[i] != kGuard) CHECK_EQUAL(int{data[i]}, int{kGuard}, "beyond, " + call.text());
  }
}

std::size_t pick(std::mt19937_64& shared) {
  constexpr std::size_t kSizes[] = {8,     1000,  1509,  2000,   2048,   4000,
                                    10000, 16384, 20000, 100000, 100509, 1000000};
  return kSizes[shared() % std::size(kSizes)];
}

void run(std::mt19937_64& shared, int wrong_calls) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPI_Wait's
  Call call;
  call.sizes.assign(static_cast<std::size_t>(ranks), 8);
  for (int i = 0; i < 2; ++i) run(call);  // the communicator's first one is the MPI library's
  const long handled_before = mpiactor::testing::hybrid_calls();
  const auto one_of = [&](int count) {
    return static_cast<int>(shared() % static_cast<unsigned>(count));
  };
  for (int wrong = 0; wrong < wrong_calls; ++wrong) {
    // Often the same root, so that leaders stay.
    if (wrong % 4 == 0) call.root = one_of(ranks);
    ++call.number;
    call.nonblocking = one_of(4) == 0;
    call.sizes.assign(call.sizes.size(), pick(shared));
    const int others = one_of(4) == 0 ? 1 + one_of(ranks - 1) : 1;
    for (int i = 0; i < others; ++i) {
      const int other = (call.root + 1 + one_of(ranks - 1)) % ranks;
      call.sizes[static_cast<std::size_t>(other)] = pick(shared);
    }
    run(call);
    const int right_calls = wrong + 1 == wrong_calls ? 70 : one_of(8) == 0 ? 30 : one_of(3);
    const std::size_t most = one_of(2) == 0 ? 16000 : 60000;
    for (int right = 0; right < right_calls; ++right) {
      ++call.number;
      call.nonblocking = one_of(8) == 0;
      call.sizes.assign(call.sizes.size(), 1 + shared() % most);
      run(call);
    }
  }
  if (handled_before >= 0) {
    CHECK_EQUAL(mpiactor::testing::hybrid_calls() - handled_before, static_cast<long>(call.number),
                "calls handled by the runtime");
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int wrong_calls = argc > 1 ? std::atoi(argv[1]) : 40;
  std::mt19937_64 shared(mpiactor::testing::agreed_seed());
  mpiactor::testing::under_each_leader([&] { run(shared, wrong_calls); });
  MPI_Finalize();
  return 0;
}
