// Nonblocking collectives beside blocking ones on the same communicator: these do not wait for
// ranks that have not begun those.
#include <cstddef>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kRounds = 5;

// Under way on all ranks; `elements` says how long it is.
class Sum {
 public:
  Sum(const Group& group, int round, std::size_t elements)
      : given_(elements, group.rank + round),
        got_(elements, -1),
        expected_(elements, group.size * (group.size - 1) / 2 + group.size * round) {
    MPI_Iallreduce(given_.data(), got_.data(), static_cast<int>(elements), MPI_INT, MPI_SUM,
                   group.comm, &request_);
  }
  ~Sum() {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    CHECK(got_ == expected_, "a nonblocking allreduce of " + std::to_string(got_.size()));
  }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;

 private:
  std::vector<int> given_;
  std::vector<int> got_;
  std::vector<int> expected_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

void broadcast(const Group& group, int value) {
  int number = group.rank == 0 ? value : -1;
  MPI_Bcast(&number, 1, MPI_INT, 0, group.comm);
  CHECK_EQUAL(number, value, "a broadcast beside a nonblocking allreduce");
}

// The last rank begins its nonblocking call when the root has left the broadcast behind it.
void root_goes_on(const Group& group, std::size_t elements) {
  const int last = group.size - 1;
  for (int round = 0; round < kRounds; ++round) {
    if (group.rank == last) MPI_Recv(nullptr, 0, MPI_INT, 0, 1, group.comm, MPI_STATUS_IGNORE);
    const Sum sum(group, round, elements);
    broadcast(group, 100 + round);
    if (group.rank == 0) MPI_Send(nullptr, 0, MPI_INT, last, 1, group.comm);
  }
}

// Calls of all lengths: the communicator's memory for both kinds grows on the way.
void many_beside_blocking(const Group& group) {
  constexpr std::size_t kLongest = 100'000;
  for (std::size_t elements = 1; elements < kLongest; elements *= 5) {
    for (int round = 0; round < kRounds; ++round) {
      const Sum first(group, round, elements);
      const Sum second(group, round + 1, elements / 2 + 1);
      broadcast(group, 100 + round);
      const Sum third(group, round + 2, elements);
      MPI_Barrier(group.comm);
    }
  }
}

// Blocking calls set it up, so that nonblocking ones of `elements` have a container and its memory.
Group fresh_group(const Group& world, const char* name, std::size_t elements) {
  MPI_Comm comm;
  MPI_Comm_dup(world.comm, &comm);
  const Group group = make_group(comm, name);
  for (int round = 0; round < 4; ++round) {
    const Sum sum(group, round, elements);
    broadcast(group, round);
  }
  return group;
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  under_each_leader([&] {
    for (const std::size_t elements : {1, 10'000}) {
      Group group = fresh_group(job.world(), "root goes on", elements);
      root_goes_on(group, elements);
      free_group(group);
    }
    Group group = fresh_group(job.world(), "many", 1);
    many_beside_blocking(group);
    free_group(group);
  });
  return 0;
}
