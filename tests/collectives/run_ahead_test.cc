// Ranks that have nothing to wait for run thousands of calls ahead of others that come late, and no
// message of one call is taken for another's.
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

// Two calls so far apart have the same number in the tags of their messages, where each takes one
// request; half of that where two calls take turns.
constexpr int kWindow = 2048;
constexpr int kCalls = 3000;

// Late, but its MPI library works.
void come_late(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
    int is_there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    usleep(100);
  }
}

void expect(int got, int expected, int call, const char* what) {
  if (got == expected) return;
  fail(std::string(what) + " of call " + std::to_string(call) + ": got " + std::to_string(got) +
       " instead of " + std::to_string(expected));
}

// Gathervs to rank 1. Few of them have blocks, of ranks 0 and 2; the last two ranks are late.
void sparse_gathervs(const Group& group) {
  std::vector<int> at(static_cast<std::size_t>(group.size));
  for (int i = 0; i < group.size; ++i) at[static_cast<std::size_t>(i)] = i;
  for (int call = 0; call < kCalls; ++call) {
    if (call == 10 && group.rank == 1) come_late(0.15);
    if (call == 10 && group.rank == 2) come_late(0.6);
    std::vector<int> counts(static_cast<std::size_t>(group.size));
    if (call % kWindow == kWindow * 4 / 10) counts[0] = counts[2] = 1;
    const int mine = group.rank * kCalls + call;
    std::vector<int> all(counts.size(), -1);
    MPI_Gatherv(&mine, counts[static_cast<std::size_t>(group.rank)], MPI_INT, all.data(),
                counts.data(), at.data(), MPI_INT, 1, group.comm);
    if (group.rank != 1) continue;
    for (const std::size_t from : {std::size_t{0}, std::size_t{2}}) {
      expect(all[from], counts[from] != 0 ? static_cast<int>(from) * kCalls + call : -1, call,
             "block");
    }
  }
}

// One takes turns with broadcasts, without making anybody wait.
void gather_nothing(const Group& group, int) {
  const std::vector<int> none(static_cast<std::size_t>(group.size));
  MPI_Gatherv(nullptr, 0, MPI_INT, nullptr, none.data(), none.data(), MPI_INT, 0, group.comm);
}
void gather_from_first(const Group& group, int call) {
  const std::vector<int> at(static_cast<std::size_t>(group.size));
  std::vector<int> counts(at.size());
  counts[0] = 1;
  int got = -1;
  MPI_Allgatherv(&call, group.rank == 0 ? 1 : 0, MPI_INT, &got, counts.data(), at.data(), MPI_INT,
                 group.comm);
  expect(got, call, call, "MPI_Allgatherv");
}

// Ranks 2 and 3 are late. A late rank is root, too.
template <typename Other>
void broadcasts_between(const Group& group, Other other) {
  for (int call = 0; call < kWindow + 50; ++call) {
    if (call == 1 && group.rank == 3) come_late(0.15);
    if (call == 1 && group.rank == 2) come_late(0.6);
    const int root = call > 1 && call % (kWindow / 2) == 1 ? 1 : 0;
    int value = group.rank == root ? call : -1;
    MPI_Bcast(&value, 1, MPI_INT, root, group.comm);
    expect(value, call, call, "MPI_Bcast");
    other(group, call);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  if (group.size < 4) fail("needs 4 ranks");
  sparse_gathervs(group);
  broadcasts_between(group, gather_nothing);
  broadcasts_between(group, gather_from_first);
  MPI_Barrier(group.comm);
  return 0;
}
