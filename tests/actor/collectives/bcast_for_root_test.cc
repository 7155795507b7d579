// Whoever of the root's node comes first sends for the root: roots that come last, first or in
// between, short, announced and held messages, rings, types with gaps. Every value is checked.
// Argument: "first", where the lowest member of the root's node may lead, or "root".
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/actor/collectives/message.h"
#include "tests/actor/collectives/mpi_check.h"

namespace {

int rank = 0;
int ranks = 0;
const std::vector<int> kSizes = {100, 3000, 12000, 40000, 300000};
constexpr int kAnnounced = 20000;  // longer ones, whatever the policy

// Every other byte of `data` where `gaps`.
void broadcast(int call, int bytes, int root, bool gaps, bool nonblocking) {
  const std::size_t stride = gaps ? 2 : 1;
  const auto message = mpiactor::testing::Message(static_cast<unsigned>(call))
                           .first(static_cast<std::size_t>(bytes));
  std::vector<std::uint8_t> expected = message;
  if (gaps) {
    expected.assign(message.size() * stride, 0xee);
    for (std::size_t i = 0; i < message.size(); ++i) expected[i * stride] = message[i];
  }
  std::vector<std::uint8_t> data(expected.size(), 0xee);
  if (rank == root) data = expected;
  MPI_Datatype type = MPI_BYTE;
  if (gaps) {
    MPI_Type_vector(bytes, 1, 2, MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  const int count = gaps ? 1 : bytes;
  if (nonblocking) {
    MPI_Request request;
    MPI_Ibcast(data.data(), count, type, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Bcast(data.data(), count, type, root, MPI_COMM_WORLD);
  }
  if (gaps) MPI_Type_free(&type);
  if (data == expected) return;
  const auto wrong = std::ranges::mismatch(data, expected).in1 - data.begin();
  mpiactor::testing::fail(__FILE__, __LINE__,
                          "call " + std::to_string(call) + ", root " + std::to_string(root) +
                              ", byte " + std::to_string(wrong) + " of " +
                              std::to_string(data.size()));
}

// Ranks come in any order; sizes, roots, types and kinds of calls are drawn.
void run_at_random(std::uint64_t seed, int calls) {
  std::mt19937_64 shared(seed);
  std::mt19937_64 own(seed * 1000003 + static_cast<unsigned>(rank));
  for (int call = 0; call < calls; ++call) {
    const int root = static_cast<int>(shared() % static_cast<unsigned>(ranks));
    int bytes = kSizes[shared() % kSizes.size()] + static_cast<int>(shared() % 3000);
    if (shared() % 40 == 0) bytes = 3 << 20;
    const bool gaps = shared() % 8 == 0;
    const bool nonblocking = shared() % 8 == 0;
    if (own() % 4 == 0) usleep(static_cast<useconds_t>(own() % 1500));
    broadcast(call, bytes, root, gaps, nonblocking);
  }
}

void send_to(int to) { MPI_Send(nullptr, 0, MPI_BYTE, to, 7, MPI_COMM_WORLD); }
void receive_from(int from) {
  MPI_Recv(nullptr, 0, MPI_BYTE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Whether a rank is on node 0, as MPIACTOR_NODES says: a list of nodes, or how many blocks.
bool is_near(int of) {
  const std::string nodes = std::getenv("MPIACTOR_NODES");
  if (nodes.find(',') == std::string::npos) return of < ranks / std::stoi(nodes);
  return nodes[2 * static_cast<std::size_t>(of)] == '0';
}

// The root's neighbours come to the call only after all others have left it: nobody but the root
// can send.
void run_with_late_neighbours() {
  for (const int bytes : kSizes) {
    if (rank != 0 && is_near(rank)) receive_from(0);
    broadcast(bytes, bytes, 0, false, false);
    if (!is_near(rank)) send_to(0);
    if (rank != 0) continue;
    for (int other = 1; other < ranks; ++other) {
      if (!is_near(other)) receive_from(other);
    }
    for (int other = 1; other < ranks; ++other) {
      if (is_near(other)) send_to(other);
    }
  }
}

// The neighbours go on at once, `last` when they should have come to what follows.
void come_after_neighbours(int last) {
  if (rank != last) {
    send_to(last);
    return;
  }
  for (int other = 0; other < ranks; ++other) {
    if (other != last && is_near(other)) receive_from(other);
  }
  usleep(100000);
}

// The root leaves the call, though the others come only when it has left: its neighbours wait, and
// one of them sends (`root_is_late`), or it sends itself till one of them comes. (More than MPI
// promises.)
void run_with_late_others(bool root_is_late) {
  int root = ranks - 1;
  while (!is_near(root)) --root;
  for (const int bytes : kSizes) {
    if (!root_is_late && bytes < kAnnounced) continue;  // its sends may wait for their receivers
    if (root_is_late && is_near(rank)) come_after_neighbours(root);
    if (!root_is_late && is_near(rank) && rank != root) usleep(100000);
    if (!is_near(rank)) receive_from(root);
    broadcast(bytes, bytes, root, false, false);
    if (rank != root) continue;
    for (int other = 1; other < ranks; ++other) {
      if (!is_near(other)) send_to(other);
    }
  }
}

// Nodes of two ranks, each of which receives from the one before: the second node's first rank
// leaves the call when its other one has come, though the third node comes only then.
void run_with_late_node_below() {
  for (const int bytes : kSizes) {
    if (bytes < kAnnounced) continue;
    if (rank == 2) send_to(3);
    if (rank == 3) receive_from(2), usleep(100000);
    if (rank >= 4) receive_from(2);
    broadcast(bytes, bytes, 0, false, false);
    if (rank != 2) continue;
    for (int other = 4; other < ranks; ++other) send_to(other);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK(argc == 2, "one argument, first, root or below");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::uint64_t seed = mpiactor::testing::agreed_seed();
  const std::string which = argv[1];
  mpiactor::testing::under_each_leader([&] {
    for (int call = 0; call < 5; ++call) broadcast(call, 100, 0, false, false);
    if (which == "below") {
      run_with_late_node_below();
    } else {
      run_with_late_neighbours();
    }
    if (which == "first") {
      run_with_late_others(true);
      run_with_late_others(false);
    }
    run_at_random(seed, 300);
  });
  MPI_Finalize();
  return 0;
}
