// Nonblocking gathers and scatters of short blocks on one node end at once where this rank need not
// wait: whoever gives as long as there is room, whoever takes where all blocks have come. They
// never wait: what must, ends in the background, in order.
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

constexpr int kRoot = 1;
constexpr int kSlots = 32;  // requests of a lane that a rank may be ahead of others
constexpr int kLanes = 4;   // where calls have queued before

int rank = 0;
int ranks = 0;

int word(int call, int of_rank) { return call * 100 + of_rank; }

struct Blocks {
  explicit Blocks(int number) : call(number), all(static_cast<std::size_t>(ranks), -1) {}
  MPI_Request gather() {
    one = word(call, rank);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Igather(&one, 1, MPI_INT, all.data(), 1, MPI_INT, kRoot, MPI_COMM_WORLD, &request);
    return request;
  }
  MPI_Request scatter() {
    if (rank == kRoot) {
      for (int to = 0; to < ranks; ++to) all[static_cast<std::size_t>(to)] = word(call, to);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iscatter(all.data(), 1, MPI_INT, &one, 1, MPI_INT, kRoot, MPI_COMM_WORLD, &request);
    return request;
  }
  void check(bool is_gather) const {
    const std::string context = "in call " + std::to_string(call);
    if (!is_gather) CHECK_EQUAL(one, word(call, rank), context);
    if (rank != kRoot) return;
    for (int of = 0; of < ranks; ++of) {
      CHECK_EQUAL(all[static_cast<std::size_t>(of)], word(call, of), context);
    }
  }

  int call;
  int one = -1;
  std::vector<int> all;
};

// By messages: nobody may wait for a collective here.
void tell(int other) { MPI_Send(nullptr, 0, MPI_INT, other, 1, MPI_COMM_WORLD); }
void hear(int other) { MPI_Recv(nullptr, 0, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
// Those who give come first, the others when these have.
void come_in_turn(bool gives, bool have_given) {
  if (gives != have_given) return;
  for (int other = 0; other < ranks; ++other) {
    if (other == kRoot || (rank != kRoot && other != rank)) continue;
    const int peer = rank == kRoot ? other : kRoot;
    if (have_given) {
      tell(peer);
    } else {
      hear(peer);
    }
  }
}

void ends_at_once(int call, bool is_gather) {
  const std::string context = (is_gather ? "gather " : "scatter ") + std::to_string(call);
  MPI_Barrier(MPI_COMM_WORLD);
  Blocks blocks(call);
  const bool gives = (rank == kRoot) != is_gather;
  come_in_turn(gives, false);
  MPI_Request request = is_gather ? blocks.gather() : blocks.scatter();
  int is_done = 0;
  CHECK(request != MPI_REQUEST_NULL, context);
  MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  CHECK(is_done != 0, context);
  CHECK(request == MPI_REQUEST_NULL, context);
  come_in_turn(gives, true);
  blocks.check(is_gather);
}

// Those who give begin more calls than there is room for before anybody else comes.
void never_waits(int lanes, bool is_gather) {
  constexpr int kCalls = 2 * kLanes * kSlots;
  MPI_Barrier(MPI_COMM_WORLD);
  const bool gives = (rank == kRoot) != is_gather;
  std::vector<Blocks> blocks;
  for (int call = 0; call < kCalls; ++call) blocks.emplace_back(call);
  std::vector<MPI_Request> requests;
  int done_at_once = 0;
  come_in_turn(gives, false);
  for (Blocks& of_call : blocks) {
    requests.push_back(is_gather ? of_call.gather() : of_call.scatter());
    int done = 0;
    MPI_Request_get_status(requests.back(), &done, MPI_STATUS_IGNORE);
    done_at_once += done;
  }
  if (gives) {
    CHECK(done_at_once >= lanes * (kSlots - 2) && done_at_once <= lanes * kSlots,
          std::to_string(done_at_once));
  }
  come_in_turn(gives, true);
  // Blocking calls go on beside them.
  int sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK_EQUAL(sum, ranks, "");
  MPI_Waitall(kCalls, requests.data(), MPI_STATUSES_IGNORE);
  for (const Blocks& of_call : blocks) of_call.check(is_gather);
}

// The root's own block is longer than its room: an error at its completion alone, nothing written
// behind it.
void short_room() {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::vector<int> all(static_cast<std::size_t>(2 * ranks), 7);
  int room[2] = {-1, -1};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iscatter(all.data(), 2, MPI_INT, room, rank == kRoot ? 1 : 2, MPI_INT, kRoot, MPI_COMM_WORLD,
               &request);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &error_class);
  CHECK_EQUAL(error_class, rank == kRoot ? MPI_ERR_TRUNCATE : MPI_SUCCESS, "");
  CHECK_EQUAL(room[0], 7, "");
  CHECK_EQUAL(room[1], rank == kRoot ? -1 : 7, "");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // The container is there, and a nonblocking gather's memory.
  for (int i = 0; i < 3; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    Blocks blocks(0);
    MPI_Request request = blocks.gather();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int call = 0; call < 100; ++call) ends_at_once(call, call % 2 == 0);
  for (const bool is_gather : {true, false}) {
    for (int round = 0; round < 4; ++round)
      never_waits(is_gather && round == 0 ? 1 : kLanes, is_gather);
  }
  short_room();
  for (int call = 0; call < 10; ++call) ends_at_once(call, call % 2 == 0);
  MPI_Finalize();
  return 0;
}
