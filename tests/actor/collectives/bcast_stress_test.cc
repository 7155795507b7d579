// Back-to-back broadcasts for a given time: random roots, sizes, communicators and sleeps, mixed
// with other collectives and nonblocking ones. Every value is checked.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/actor/collectives/message.h"
#include "tests/actor/collectives/mpi_check.h"

namespace {

using mpiactor::testing::hybrid_calls;

struct Group {
  MPI_Comm comm;
  int rank;
  int size;
};

Group group_of(MPI_Comm comm) {
  Group group{comm, 0, 0};
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.size);
  return group;
}

std::size_t random_size(std::mt19937_64& random) {
  switch (random() % 20) {
    case 0:
      return random() % 3000000;
    case 1:
    case 2:
      return random() % 300000;
    case 3:
    case 4:
    case 5:
      return random() % 40000;
    default:
      return random() % 3000;
  }
}

void check_filled(const std::vector<std::uint8_t>& data, std::uint64_t call, int root) {
  const std::size_t wrong = mpiactor::testing::Message(call).first_wrong(data.data(), data.size());
  CHECK(wrong == data.size(), "call " + std::to_string(call) + " from " + std::to_string(root) +
                                  ", byte " + std::to_string(wrong) + " of " +
                                  std::to_string(data.size()));
}

// `shared` gives the same numbers on every rank, `own` others.
void one_call(Group& group, std::uint64_t call, std::mt19937_64& shared, std::mt19937_64& own) {
  const int root = static_cast<int>(shared() % static_cast<unsigned>(group.size));
  const std::size_t size = random_size(shared);
  const unsigned kind = static_cast<unsigned>(shared() % 40);
  if (own() % 50 == 0) usleep(static_cast<useconds_t>(own() % 2000));
  std::vector<std::uint8_t> data(size);
  if (group.rank == root) mpiactor::testing::Message(call).fill(data.data(), size);
  if (kind == 0) {
    long sum = group.rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, group.comm);
    CHECK_EQUAL(sum, static_cast<long>(group.size) * (group.size - 1) / 2, "");
  } else if (kind == 1) {
    MPI_Request request;
    MPI_Ibcast(data.data(), static_cast<int>(size), MPI_BYTE, root, group.comm, &request);
    long value = group.rank == root ? 77 : 0;
    MPI_Bcast(&value, 1, MPI_LONG, root, group.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(value, 77, "");
    check_filled(data, call, root);
    return;
  } else if (kind == 2) {
    MPI_Barrier(group.comm);
  }
  MPI_Bcast(data.data(), static_cast<int>(size), MPI_BYTE, root, group.comm);
  check_filled(data, call, root);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  const std::uint64_t seed = mpiactor::testing::agreed_seed();
  std::mt19937_64 shared(seed);
  Group world = group_of(MPI_COMM_WORLD);
  std::mt19937_64 own(seed * 1000003 + static_cast<unsigned>(world.rank));

  std::vector<Group> groups = {world};
  for (int i = 0; i < 3; ++i) {
    MPI_Comm comm;
    // Reversed ranks, odd and even ranks, all but the last: each with its own node map.
    const int color =
        i == 1 ? world.rank % 2 : (i == 2 && world.rank == world.size - 1 ? MPI_UNDEFINED : 0);
    MPI_Comm_split(MPI_COMM_WORLD, color, i == 0 ? -world.rank : world.rank, &comm);
    groups.push_back(comm == MPI_COMM_NULL ? Group{comm, 0, 0} : group_of(comm));
  }
  std::uint64_t calls = 0;
  const double end = MPI_Wtime() + seconds;
  for (int going_on = 1; going_on;) {
    mpiactor::testing::set_leader_of_round(calls / 200);
    for (int i = 0; i < 200; ++i) {
      Group& group = groups[shared() % groups.size()];
      const std::uint64_t state = shared();  // sub-groups draw equally from here on
      std::mt19937_64 of_call(state);
      ++calls;
      if (group.comm != MPI_COMM_NULL) one_call(group, calls, of_call, own);
    }
    going_on = MPI_Wtime() < end || calls / 200 < mpiactor::testing::leaders().size();
    PMPI_Bcast(&going_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (world.rank == 0)
    std::printf("%llu calls, %ld hybrid on rank 0\n", static_cast<unsigned long long>(calls),
                hybrid_calls());
  if (hybrid_calls() >= 0) CHECK(hybrid_calls() > 0, "nothing was handled");
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].comm != MPI_COMM_NULL) MPI_Comm_free(&groups[i].comm);
  }
  MPI_Finalize();
  return 0;
}
