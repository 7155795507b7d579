// Persistent collectives that ranks start in different orders, before or after other collectives on
// the same communicator: each one's starts match each other alone.
#include <array>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kRounds = 5;

// Rank 0's number to all.
struct Bcast {
  int number = -1;
  MPI_Request request = MPI_REQUEST_NULL;

  explicit Bcast(const Group& group) {
    MPI_Bcast_init(&number, 1, MPI_INT, 0, group.comm, MPI_INFO_NULL, &request);
  }
  Bcast(const Bcast&) = delete;
  Bcast& operator=(const Bcast&) = delete;
  void give(const Group& group, int value) { number = group.rank == 0 ? value : -1; }
};

void two_broadcasts(const Group& group) {
  Bcast first(group);
  Bcast second(group);
  std::array<MPI_Request*, 2> order = {&first.request, &second.request};
  if (group.rank % 2 != 0) std::swap(order[0], order[1]);
  for (int round = 0; round < kRounds; ++round) {
    first.give(group, 100 + round);
    second.give(group, 200 + round);
    for (MPI_Request* const request : order) MPI_Start(request);
    for (MPI_Request* const request : order) MPI_Wait(request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(first.number, 100 + round, "the first broadcast");
    CHECK_EQUAL(second.number, 200 + round, "the second broadcast");
  }
  for (MPI_Request* const request : order) MPI_Request_free(request);
}

void start_all(const Group& group) {
  Bcast bcast(group);
  int mine = 0;
  int sum = 0;
  MPI_Request allreduce;
  MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, group.comm, MPI_INFO_NULL, &allreduce);
  std::array<MPI_Request, 2> requests = {bcast.request, allreduce};
  if (group.rank % 2 != 0) std::swap(requests[0], requests[1]);
  for (int round = 0; round < kRounds; ++round) {
    bcast.give(group, round);
    mine = round + group.rank;
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    CHECK_EQUAL(bcast.number, round, "a broadcast beside an allreduce");
    CHECK_EQUAL(sum, group.size * (group.size - 1) / 2 + group.size * round, "an allreduce");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// other(): a collective on the same communicator.
template <typename Other>
void before_and_after(const Group& group, const std::string& text, Other other) {
  Bcast bcast(group);
  for (int round = 0; round < kRounds; ++round) {
    bcast.give(group, round);
    const bool is_before = (group.rank + round) % 2 == 0;
    if (is_before) MPI_Start(&bcast.request);
    other(round);
    if (!is_before) MPI_Start(&bcast.request);
    MPI_Wait(&bcast.request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(bcast.number, round, text);
  }
  MPI_Request_free(&bcast.request);
}

void beside_blocking(const Group& group) {
  before_and_after(group, "a broadcast beside a barrier", [&](int) { MPI_Barrier(group.comm); });
}

void beside_nonblocking(const Group& group) {
  before_and_after(group, "a broadcast beside a nonblocking one", [&](int round) {
    int number = group.rank == 0 ? 1000 + round : -1;
    MPI_Request request;
    MPI_Ibcast(&number, 1, MPI_INT, 0, group.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(number, 1000 + round, "a nonblocking broadcast");
  });
}

// Vectors of several lengths, started and freed in an order of each rank's own.
void random_orders(const Group& group, std::uint64_t seed) {
  constexpr int kRequests = 8;
  Random own(seed + static_cast<std::uint64_t>(group.rank));
  for (int round = 0; round < 2 * kRounds; ++round) {
    std::array<std::vector<int>, kRequests> given;
    std::array<std::vector<int>, kRequests> sums;
    std::array<MPI_Request, kRequests> requests;
    for (std::size_t i = 0; i < kRequests; ++i) {
      const std::size_t count = std::size_t{1} << 2 * i;
      given[i].resize(count);
      sums[i].resize(count);
      MPI_Allreduce_init(given[i].data(), sums[i].data(), static_cast<int>(count), MPI_INT, MPI_SUM,
                         group.comm, MPI_INFO_NULL, &requests[i]);
    }
    for (int start = 0; start < 3; ++start) {
      for (std::size_t i = 0; i < kRequests; ++i) {
        given[i].assign(given[i].size(), group.rank + static_cast<int>(i) + 10 * start);
      }
      for (const int i : own.permutation(kRequests)) {
        if (i == start) MPI_Barrier(group.comm);
        MPI_Start(&requests[static_cast<std::size_t>(i)]);
      }
      MPI_Waitall(kRequests, requests.data(), MPI_STATUSES_IGNORE);
      for (std::size_t i = 0; i < kRequests; ++i) {
        const int sum =
            group.size * (group.size - 1) / 2 + group.size * (static_cast<int>(i) + 10 * start);
        CHECK(sums[i] == std::vector<int>(sums[i].size(), sum), "sums started in any order");
      }
    }
    for (const int i : own.permutation(kRequests)) {
      MPI_Request_free(&requests[static_cast<std::size_t>(i)]);
    }
  }
}

int mapped_segments() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/dev/shm/#") != std::string::npos) ++count;
  }
  return count;
}

// Requests that were freed give their memory back at once, but for some that later ones take over.
void freed_ones_are_gone(const Group& group) {
  constexpr int kRequests = 40;
  constexpr int kMostKept = 32;
  const int mapped = mapped_segments();
  std::vector<int> numbers(kRequests);
  std::vector<MPI_Request> requests(kRequests);
  for (std::size_t i = 0; i < kRequests; ++i) {
    MPI_Bcast_init(&numbers[i], 1, MPI_INT, 0, group.comm, MPI_INFO_NULL, &requests[i]);
  }
  MPI_Startall(kRequests, requests.data());
  MPI_Waitall(kRequests, requests.data(), MPI_STATUSES_IGNORE);
  CHECK(mapped_segments() >= mapped + kRequests - kMostKept, "each has a segment");
  PMPI_Barrier(group.comm);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  CHECK(mapped_segments() <= mapped + kMostKept, "segments of freed requests");
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  under_each_leader([&] {
    const long handled = hybrid_calls();
    two_broadcasts(group);
    CHECK_EQUAL(hybrid_calls() - handled, 2L * kRounds, "handled");
    start_all(group);
    beside_blocking(group);
    beside_nonblocking(group);
    random_orders(group, job.seed());
    freed_ones_are_gone(group);
  });
  return 0;
}
