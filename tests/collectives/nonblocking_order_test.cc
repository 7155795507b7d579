// Nonblocking collectives on a communicator beside blocking ones, which do not wait for ranks that
// have not begun those, and beside each other.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

// A copy of the world on which only blocking calls were made.
Group new_group(const Group& world, const char* name) {
  MPI_Comm comm;
  MPI_Comm_dup(world.comm, &comm);
  const Group group = make_group(comm, name);
  broadcast(group, 0);
  broadcast(group, 1);
  return group;
}

// Blocking calls set it up, so that nonblocking ones of `elements` have a container and its memory.
Group fresh_group(const Group& world, const char* name, std::size_t elements) {
  const Group group = new_group(world, name);
  for (int round = 0; round < 4; ++round) {
    const Sum sum(group, round, elements);
    MPI_Barrier(group.comm);
  }
  return group;
}

// The others know nothing of a call that one rank's library has refused.
void refused_on_one_rank(const Group& world) {
  Group group = new_group(world, "refused on one rank");
  MPI_Comm_set_errhandler(group.comm, MPI_ERRORS_RETURN);
  int number = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (group.rank == 1) {
    CHECK(MPI_Ibcast(&number, 1, MPI_INT, group.size, group.comm, &request) != MPI_SUCCESS,
          "a root that is no rank");
  }
  for (int round = 0; round < kRounds; ++round) {
    MPI_Barrier(group.comm);
    broadcast(group, round);
  }
  free_group(group);
}

// As long calls as the communicator has had before are handled, without a blocking one in between.
void long_ones_at_once(const Group& world) {
  constexpr std::size_t kElements = 20'000;
  Group group = new_group(world, "long ones at once");
  const std::vector<int> given(8 * kElements, 1);
  std::vector<int> sums(given.size());
  for (int round = 0; round < 3; ++round) {
    MPI_Allreduce(given.data(), sums.data(), static_cast<int>(given.size()), MPI_INT, MPI_SUM,
                  group.comm);
  }
  MPI_Request request;
  MPI_Ibarrier(group.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(group.comm);
  const long handled = hybrid_calls();
  for (int round = 0; round < kRounds; ++round) const Sum sum(group, round, kElements);
  CHECK_EQUAL(hybrid_calls() - handled, static_cast<long>(kRounds), "handled");
  free_group(group);
}

// By which ranks tell each other something without MPI, where no call comes forward meanwhile.
class Flags {
 public:
  explicit Flags(const Group& world) : rank_(world.rank) {
    std::array<char, 256> folder = {};
    if (rank_ == 0) {
      const char* const parent = std::getenv("TEST_TMPDIR");
      const std::filesystem::path name =
          (parent ? std::filesystem::path(parent) : std::filesystem::temp_directory_path()) /
          "flags.XXXXXX";
      CHECK(name.native().size() < folder.size(), "a short TEST_TMPDIR");
      name.native().copy(folder.data(), folder.size() - 1);
      CHECK(mkdtemp(folder.data()) != nullptr, folder.data());
    }
    PMPI_Bcast(folder.data(), static_cast<int>(folder.size()), MPI_CHAR, 0, world.comm);
    folder_ = folder.data();
  }
  // After all ranks have done with it.
  ~Flags() {
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) std::filesystem::remove_all(folder_);
  }
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  void raise(const std::string& flag) const { std::ofstream(folder_ / flag); }
  // False: not within ten seconds.
  bool wait(const std::string& flag) const {
    for (int tries = 0; tries < 10'000; ++tries) {
      if (std::filesystem::exists(folder_ / flag)) return true;
      usleep(1000);
    }
    return false;
  }

 private:
  int rank_;
  std::filesystem::path folder_;
};

// Where calls were under way at a time before, a later one does not wait for those before it. The
// last rank begins a sum on all and one on rank 0, and then makes no call of MPI until the others
// have done the second one.
void beside_each_other(const Group& world) {
  Group group = fresh_group(world, "beside each other", 1);
  for (int round = 0; round < kRounds; ++round) {
    const Sum first(group, round, 1);
    const Sum second(group, round, 1);
  }
  for (int round = 0; round < 16; ++round) const Sum sum(group, round, 1);
  MPI_Barrier(group.comm);
  const int last = group.size - 1;
  for (int round = 0; round < kRounds; ++round) {
    const Flags flags(group);
    CHECK(group.rank == last || flags.wait("begun"), "the last rank has begun its calls");
    const Sum sum(group, round, 1);
    const int one = 1;
    int ranks = 0;
    MPI_Request request;
    MPI_Ireduce(&one, &ranks, 1, MPI_INT, MPI_SUM, 0, group.comm, &request);
    if (group.rank == last) {
      flags.raise("begun");
      for (int rank = 0; rank < last; ++rank)
        CHECK(flags.wait(std::to_string(rank)), "a reduction waits for one before it");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(ranks, group.rank == 0 ? group.size : 0, "a reduction behind another one");
    flags.raise(std::to_string(group.rank));
  }
  free_group(group);
}

// A process has 512 places between nodes; nonblocking calls take none that others want.
void many_communicators(const Group& world) {
  constexpr int kCommunicators = 300;
  std::vector<Group> groups;
  for (int i = 0; i < kCommunicators; ++i) {
    groups.push_back(new_group(world, "one of many"));
    const long handled = hybrid_calls();
    for (int round = 0; round < 2; ++round) {
      const Sum sum(groups.back(), round, 1);
      MPI_Barrier(groups.back().comm);
    }
    CHECK_EQUAL(hybrid_calls() - handled, 4L, "handled on communicator " + std::to_string(i));
  }
  for (Group& group : groups) free_group(group);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  under_each_leader([&] {
    long_ones_at_once(job.world());  // first, while no container that is large has been freed
    for (const std::size_t elements : {1, 10'000}) {
      Group group = fresh_group(job.world(), "root goes on", elements);
      root_goes_on(group, elements);
      free_group(group);
    }
    Group group = fresh_group(job.world(), "many", 1);
    many_beside_blocking(group);
    free_group(group);
    refused_on_one_rank(job.world());
    beside_each_other(job.world());
  });
  many_communicators(job.world());
  return 0;
}
