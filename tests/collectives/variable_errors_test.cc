// MPI_Gatherv, Scatterv and Alltoallv in programs that are wrong, or whose ranks come late: who has
// too little room gets MPI_ERR_TRUNCATE and nothing beyond its room is written; who has nothing to
// wait for does not wait.
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"
#include "tests/leaders.h"

namespace {

using namespace mpiactor::testing;

constexpr int kGuard = -77;

int class_of(int error) {
  int error_class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  return error_class;
}

// `count` ints of rank `from` for rank `to`.
std::vector<int> numbers(int from, int to, int count) {
  std::vector<int> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), from * 1000003 + to * 1009);
  return out;
}

// One block for each rank, `room` ints of which may be written, `stride` apart.
struct Rooms {
  Rooms(int ranks, int room_ints, int stride_ints)
      : room(room_ints), stride(stride_ints), counts(static_cast<std::size_t>(ranks), room_ints) {
    for (int rank = 0; rank < ranks; ++rank) places.push_back(rank * stride);
    data.assign(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(stride), kGuard);
  }
  // Block `rank` holds the first of `expected` up to its room and guards behind.
  void check(int rank, const std::vector<int>& expected, const std::string& where) const {
    const int* const block = data.data() + rank * stride;
    for (int i = 0; i < stride; ++i) {
      const bool written = i < room && i < static_cast<int>(expected.size());
      CHECK_EQUAL(block[i], (written ? expected[static_cast<std::size_t>(i)] : kGuard),
                  where + ", block " + std::to_string(rank) + ", int " + std::to_string(i));
    }
  }
  int room;
  int stride;
  std::vector<int> counts;
  std::vector<int> places;
  std::vector<int> data;
};

struct Sizes {
  int given;
  int room;
};

std::string text_of(const char* what, const Sizes& sizes) {
  return std::string(what) + ", " + std::to_string(sizes.given) + " ints into " +
         std::to_string(sizes.room);
}

void wrong_gatherv(const Group& g, const Sizes& sizes, int root) {
  const std::string where = text_of("gatherv", sizes);
  Rooms all(g.size, sizes.room, sizes.given + 8);
  const std::vector<int> mine = numbers(g.rank, root, sizes.given);
  const int error = MPI_Gatherv(mine.data(), sizes.given, MPI_INT, all.data.data(),
                                all.counts.data(), all.places.data(), MPI_INT, root, g.comm);
  CHECK_EQUAL(class_of(error), (g.rank == root ? MPI_ERR_TRUNCATE : MPI_SUCCESS), where);
  if (g.rank != root) return;
  for (int rank = 0; rank < g.size; ++rank) {
    const int* const block = all.data.data() + rank * all.stride;
    for (int i = sizes.room; i < all.stride; ++i) CHECK_EQUAL(block[i], kGuard, where);
  }
}

// Into every other int, after longer calls that were right. The MPI library leaves the count of an
// earlier message in the status of one that it cuts off.
void wrong_gatherv_with_gaps(const Group& g) {
  MPI_Datatype gapped;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gapped);
  MPI_Type_commit(&gapped);
  constexpr int kRight = 13000;
  constexpr int kGiven = 8600;
  const int last = g.size - 1;
  const std::vector<int> expected = numbers(last, 0, kRight);
  std::vector<int> counts(static_cast<std::size_t>(g.size));
  std::vector<int> places(counts.size());
  std::vector<int> all(2 * counts.size() * kRight);
  for (int rank = 0; rank < g.size; ++rank) places[static_cast<std::size_t>(rank)] = rank * kRight;
  for (int call = 0; call < 10; ++call) {
    const bool is_wrong = call % 2 != 0;
    const int room = is_wrong ? 7500 + call : kRight;
    counts.assign(counts.size(), is_wrong ? kGiven : kRight);
    counts.back() = room;
    std::fill(all.begin(), all.end(), kGuard);
    const std::vector<int> mine = numbers(g.rank, 0, is_wrong ? kGiven : kRight);
    const int error = MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_INT, all.data(),
                                  counts.data(), places.data(), gapped, 0, g.comm);
    const bool fails = is_wrong && g.rank == 0;
    CHECK_EQUAL(class_of(error), (fails ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "gatherv with gaps");
    for (int i = 0; g.rank == 0 && i < kRight; ++i) {
      const int* const here = all.data() + 2 * (last * kRight + i);
      CHECK_EQUAL(here[1], kGuard, "a gap");
      if (i >= room) CHECK_EQUAL(here[0], kGuard, "behind the room");
      if (!is_wrong) CHECK_EQUAL(here[0], expected[static_cast<std::size_t>(i)], "a number");
    }
  }
  MPI_Type_free(&gapped);
}

void wrong_scatterv(const Group& g, const Sizes& sizes, int root) {
  const std::string where = text_of("scatterv", sizes);
  Rooms all(g.size, sizes.given, sizes.given);
  for (int rank = 0; rank < g.size; ++rank) {
    const std::vector<int> block = numbers(root, rank, sizes.given);
    std::copy(block.begin(), block.end(), all.data.begin() + rank * sizes.given);
  }
  Rooms mine(1, sizes.room, sizes.given + 8);
  const int error = MPI_Scatterv(all.data.data(), all.counts.data(), all.places.data(), MPI_INT,
                                 mine.data.data(), sizes.room, MPI_INT, root, g.comm);
  CHECK_EQUAL(class_of(error), MPI_ERR_TRUNCATE, where);
  for (int i = sizes.room; i < mine.stride; ++i) {
    CHECK_EQUAL(mine.data[static_cast<std::size_t>(i)], kGuard, where);
  }
}

void wrong_alltoallv(const Group& g, const Sizes& sizes, int) {
  const std::string where = text_of("alltoallv", sizes);
  Rooms out(g.size, sizes.given, sizes.given);
  Rooms in(g.size, sizes.room, sizes.given + 8);
  const int error =
      MPI_Alltoallv(out.data.data(), out.counts.data(), out.places.data(), MPI_INT, in.data.data(),
                    in.counts.data(), in.places.data(), MPI_INT, g.comm);
  CHECK_EQUAL(class_of(error), MPI_ERR_TRUNCATE, where);
  for (int rank = 0; rank < g.size; ++rank) {
    for (int i = sizes.room; i < in.stride; ++i) {
      CHECK_EQUAL(in.data[static_cast<std::size_t>(rank * in.stride + i)], kGuard, where);
    }
  }
}

// Right calls, after wrong ones too. Blocks shorter than their room are no error.
void right_calls(const Group& g, const Sizes& sizes, int root) {
  Rooms all(g.size, sizes.room, sizes.room + 8);
  const std::vector<int> mine = numbers(g.rank, root, sizes.given);
  MPI_Gatherv(mine.data(), sizes.given, MPI_INT, all.data.data(), all.counts.data(),
              all.places.data(), MPI_INT, root, g.comm);
  for (int rank = 0; g.rank == root && rank < g.size; ++rank) {
    all.check(rank, numbers(rank, root, sizes.given), text_of("right gatherv", sizes));
  }
  Rooms from(g.size, sizes.given, sizes.given);
  for (int rank = 0; rank < g.size; ++rank) {
    const std::vector<int> block = numbers(root, rank, sizes.given);
    std::copy(block.begin(), block.end(), from.data.begin() + rank * sizes.given);
  }
  Rooms own(1, sizes.room, sizes.room + 8);
  MPI_Scatterv(from.data.data(), from.counts.data(), from.places.data(), MPI_INT, own.data.data(),
               sizes.room, MPI_INT, root, g.comm);
  own.check(0, numbers(root, g.rank, sizes.given), text_of("right scatterv", sizes));
}

constexpr double kLateSeconds = 0.25;

// Seconds in call(), which rank `late` enters late.
template <typename Call>
double seconds_in(const Group& g, int late, Call call) {
  PMPI_Barrier(g.comm);
  if (g.rank == late) usleep(static_cast<useconds_t>(kLateSeconds * 1e6));
  const double begin = MPI_Wtime();
  call();
  return MPI_Wtime() - begin;
}

// With static leaders a node's lowest rank leads whatever it takes itself.
bool has_static_leaders() { return leader_now() == "static"; }

// Between nodes a scatterv is left to the MPI library.
bool is_on_one_node() {
  const char* const nodes = std::getenv("MPIACTOR_NODES");
  return nodes == nullptr || *nodes == 0;
}

void late_root(const Group& g, int root) {
  std::vector<int> counts(static_cast<std::size_t>(g.size), 100);
  std::vector<int> places(counts.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i) * 100;
  std::vector<int> all(counts.size() * 100);
  std::vector<int> mine(100, g.rank);
  double seconds = seconds_in(g, root, [&] {
    MPI_Gatherv(mine.data(), 100, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, root,
                g.comm);
  });
  CHECK(seconds < kLateSeconds / 2, "a gatherv waits for its late root");
  if (has_static_leaders() || !is_on_one_node()) return;
  // Only one rank takes something.
  const int taker = (root + 1) % g.size;
  counts.assign(counts.size(), 0);
  counts[static_cast<std::size_t>(taker)] = 100;
  seconds = seconds_in(g, root, [&] {
    MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, mine.data(),
                 g.rank == taker ? 100 : 0, MPI_INT, root, g.comm);
  });
  CHECK(g.rank == taker || seconds < kLateSeconds / 2, "who takes nothing waits for a late root");
  seconds = seconds_in(g, taker, [&] {
    MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, mine.data(),
                 g.rank == taker ? 100 : 0, MPI_INT, root, g.comm);
  });
  CHECK(seconds < kLateSeconds / 2, "a late rank holds back the others of a scatterv");
}

void run() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  Group group = make_group(comm, "a copy of the world");
  MPI_Barrier(comm);
  right_calls(group, {10, 10}, 0);
  const long before = hybrid_calls();
  long calls = 0;
  for (const Sizes& sizes : {Sizes{4, 2},
                             {60, 40},
                             {3000, 900},
                             {12000, 3000},
                             {30000, 12000},
                             {12509, 12000},
                             {130000, 129491},
                             {200000, 3000},
                             {200000, 150000}}) {
    for (const int root : {0, group.size - 1}) {
      wrong_gatherv(group, sizes, root);
      if (is_on_one_node()) wrong_scatterv(group, sizes, root);
      wrong_alltoallv(group, sizes, root);
      right_calls(group, {sizes.room, sizes.given}, root);
      calls += is_on_one_node() ? 5 : 3;
    }
  }
  CHECK_EQUAL(hybrid_calls() - before, calls, "calls handled by the runtime");
  wrong_gatherv_with_gaps(group);
  // A communicator of its own: every 64th message of a rank waits for the root.
  MPI_Comm fresh;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  Group few_calls = make_group(fresh, "with few calls");
  for (int i = 0; i < 3; ++i) right_calls(few_calls, {10, 10}, 0);
  late_root(few_calls, group.size - 1);
  free_group(few_calls);
  free_group(group);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  under_each_leader(run);
  return 0;
}
