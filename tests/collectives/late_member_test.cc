// Allgather, allgatherv and alltoall where one rank after the other comes long after all others: on
// its node it is the last, whether it is the lowest member or not.
#include <unistd.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;
using Values = std::vector<int>;

constexpr useconds_t kLateUs = 4'000;

int value(int from, int to, int index) { return from * 1'000'003 + to * 1'009 + index; }

// What rank `from` gives rank `to` (alltoall), or all (to 0).
void append_block(Values& values, int from, int to, int count) {
  for (int i = 0; i < count; ++i) values.push_back(value(from, to, i));
}

struct Call {
  const Group& group;
  int late;
  int count;

  void come() const {
    PMPI_Barrier(group.comm);
    if (group.rank == late) usleep(kLateUs);
  }
  void check(const Values& got, const Values& expected, const char* name) const {
    if (got == expected) return;
    fail(std::string(name) + " of " + std::to_string(count) + " integers, rank " +
         std::to_string(late) + " late: wrong data");
  }
  void allgather() const;
  void allgatherv() const;
  void alltoall() const;
};

void Call::allgather() const {
  Values mine;
  Values expected;
  append_block(mine, group.rank, 0, count);
  for (int r = 0; r < group.size; ++r) append_block(expected, r, 0, count);
  Values got(expected.size());
  come();
  MPI_Allgather(mine.data(), count, MPI_INT, got.data(), count, MPI_INT, group.comm);
  check(got, expected, "MPI_Allgather");
}

// Ranks below 3 give nothing: on some layouts that is a whole node.
void Call::allgatherv() const {
  Values counts;
  for (int r = 0; r < group.size; ++r) counts.push_back(r < 3 ? 0 : count + r);
  Values at(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), at.begin(), 0);
  Values mine;
  Values expected;
  const int own = counts[static_cast<std::size_t>(group.rank)];
  append_block(mine, group.rank, 0, own);
  for (int r = 0; r < group.size; ++r) {
    append_block(expected, r, 0, counts[static_cast<std::size_t>(r)]);
  }
  Values got(expected.size());
  come();
  MPI_Allgatherv(mine.data(), own, MPI_INT, got.data(), counts.data(), at.data(), MPI_INT,
                 group.comm);
  check(got, expected, "MPI_Allgatherv");
}

void Call::alltoall() const {
  Values mine;
  Values expected;
  for (int r = 0; r < group.size; ++r) {
    append_block(mine, group.rank, r, count);
    append_block(expected, r, group.rank, count);
  }
  Values got(expected.size());
  come();
  MPI_Alltoall(mine.data(), count, MPI_INT, got.data(), count, MPI_INT, group.comm);
  check(got, expected, "MPI_Alltoall");
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  // The last is cut into several requests.
  for (const int count : {1, 700, 20'000}) {
    for (int late = 0; late < group.size; ++late) {
      const Call call{group, late, count};
      call.allgather();
      call.allgatherv();
      call.alltoall();
    }
  }
  return 0;
}
