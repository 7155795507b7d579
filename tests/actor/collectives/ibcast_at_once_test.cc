// Nonblocking broadcasts of short messages on one node end at once where this rank need not wait:
// the root's as long as there is room, the others' where the message has come. They never wait:
// what must, ends in the background, in order.
#include <array>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

constexpr int kRoot = 1;
constexpr int kSlots = 32;  // requests of a lane that a rank may be ahead of others
constexpr int kLanes = 4;   // where calls have queued before
constexpr int kInts = 512;  // as much as is short

int rank = 0;
int ranks = 0;

bool is_done(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

// By messages: nobody may wait for a collective here.
void tell_others() {
  for (int other = 0; other < ranks; ++other) {
    if (other != rank) MPI_Send(nullptr, 0, MPI_INT, other, 1, MPI_COMM_WORLD);
  }
}
void hear_root() { MPI_Recv(nullptr, 0, MPI_INT, kRoot, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

MPI_Request begin(std::vector<int>& buffer) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(buffer.data(), kInts, MPI_INT, kRoot, MPI_COMM_WORLD, &request);
  CHECK(request != MPI_REQUEST_NULL, "an active request");
  return request;
}

std::vector<int> contents(int call) {
  std::vector<int> values(kInts);
  for (int i = 0; i < kInts; ++i) values[static_cast<std::size_t>(i)] = call * 1000 + i;
  return values;
}

void ends_at_once(int call) {
  const std::string context = "in call " + std::to_string(call);
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<int> buffer = rank == kRoot ? contents(call) : std::vector<int>(kInts);
  if (rank != kRoot) hear_root();
  MPI_Request request = begin(buffer);
  CHECK(is_done(request), context);
  CHECK(request == MPI_REQUEST_NULL, context);
  if (rank == kRoot) {
    buffer.assign(kInts, -1);  // it is the root's again
    tell_others();
  } else {
    CHECK(buffer == contents(call), context);
  }
}

// The root begins more calls than there is room for before anybody else comes.
void never_waits(int lanes) {
  constexpr int kCalls = 2 * kLanes * kSlots;
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<std::vector<int>> buffers(kCalls, std::vector<int>(kInts));
  std::vector<MPI_Request> requests;
  int done_at_once = 0;
  if (rank != kRoot) hear_root();
  for (int call = 0; call < kCalls; ++call) {
    std::vector<int>& buffer = buffers[static_cast<std::size_t>(call)];
    if (rank == kRoot) buffer = contents(call);
    requests.push_back(begin(buffer));
    int done = 0;
    MPI_Request_get_status(requests.back(), &done, MPI_STATUS_IGNORE);
    done_at_once += done;
  }
  if (rank == kRoot) {
    CHECK(done_at_once >= lanes * (kSlots - 2) && done_at_once <= lanes * kSlots,
          std::to_string(done_at_once));
    tell_others();
  }
  // Blocking calls go on beside them.
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK_EQUAL(sum, ranks, "");
  std::vector<int> indices(kCalls);
  std::vector<MPI_Status> statuses(kCalls);
  for (int left = kCalls, ended = 0; left > 0; left -= ended) {
    MPI_Waitsome(kCalls, requests.data(), &ended, indices.data(), statuses.data());
    CHECK(ended > 0 && ended <= left, std::to_string(ended));
    if (ended <= 0) break;
  }
  for (int call = 0; call < kCalls; ++call) {
    CHECK(buffers[static_cast<std::size_t>(call)] == contents(call), std::to_string(call));
  }
}

// Found at once, but longer than the buffer: an error at its completion, nothing written behind it.
void short_buffer() {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::vector<int> buffer = rank == kRoot ? contents(1) : std::vector<int>(kInts);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank != kRoot) hear_root();
  MPI_Ibcast(buffer.data(), rank == kRoot ? 20 : 10, MPI_INT, kRoot, MPI_COMM_WORLD, &request);
  if (rank == kRoot) tell_others();
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &error_class);
  CHECK_EQUAL(error_class, rank == kRoot ? MPI_SUCCESS : MPI_ERR_TRUNCATE, "");
  CHECK_EQUAL(buffer[9], 1009, "");
  if (rank != kRoot) CHECK_EQUAL(buffer[10], 0, "");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);  // the container is there
  for (int call = 0; call < 100; ++call) ends_at_once(call);
  never_waits(1);
  for (int round = 0; round < 4; ++round) never_waits(kLanes);
  short_buffer();
  ends_at_once(1000);
  MPI_Finalize();
  return 0;
}
