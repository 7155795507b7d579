// Which calls the runtime handles itself (argument "hybrid") or, with its default settings, leaves
// to the MPI library ("default"; "shortest": of messages between three nodes; "under-way": where
// several nonblocking ones are under way and ranks outnumber the cores).
#include <mpi.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "inter/ways.h"
#include "tests/actor/collectives/mpi_check.h"
#include "tests/persistent_names.h"

namespace {

using namespace mpiactor::testing;
namespace inter = mpiactor::inter;

int rank = 0;
int ranks = 0;

long handled(const std::function<void()>& call) {
  const long before = hybrid_calls();
  call();
  return hybrid_calls() - before;
}

void expect(const char* what, long wanted, const std::function<void()>& call) {
  CHECK_EQUAL(handled(call), wanted, std::string(what));
}

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Calls with `count` ints for each rank, of which the runtime handles `wanted`.
void every_collective(int count, long wanted) {
  const auto all = static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks);
  std::vector<int> a(all, 1);
  std::vector<int> b(all);
  std::vector<int> counts(static_cast<std::size_t>(ranks), count);
  std::vector<int> places(counts.size());
  for (int r = 0; r < ranks; ++r) places[static_cast<std::size_t>(r)] = r * count;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_INT;
  const int root = ranks - 1;
  expect("bcast", wanted, [&] { MPI_Bcast(a.data(), count, type, root, comm); });
  expect("reduce", wanted,
         [&] { MPI_Reduce(a.data(), b.data(), count, type, MPI_SUM, root, comm); });
  expect("allreduce", wanted,
         [&] { MPI_Allreduce(a.data(), b.data(), count, type, MPI_SUM, comm); });
  expect("reduce_scatter", wanted,
         [&] { MPI_Reduce_scatter(a.data(), b.data(), counts.data(), type, MPI_SUM, comm); });
  expect("reduce_scatter_block", wanted,
         [&] { MPI_Reduce_scatter_block(a.data(), b.data(), count, type, MPI_SUM, comm); });
  expect("allgather", wanted,
         [&] { MPI_Allgather(a.data(), count, type, b.data(), count, type, comm); });
  expect("allgatherv", wanted, [&] {
    MPI_Allgatherv(a.data(), count, type, b.data(), counts.data(), places.data(), type, comm);
  });
  expect("gather", wanted,
         [&] { MPI_Gather(a.data(), count, type, b.data(), count, type, root, comm); });
  expect("scatter", wanted,
         [&] { MPI_Scatter(a.data(), count, type, b.data(), count, type, root, comm); });
  expect("alltoall", wanted,
         [&] { MPI_Alltoall(a.data(), count, type, b.data(), count, type, comm); });
  expect("gatherv", wanted, [&] {
    MPI_Gatherv(a.data(), count, type, b.data(), counts.data(), places.data(), type, root, comm);
  });
  const bool is_left = !setting("MPIACTOR_NODES").empty();  // between nodes
  expect("scatterv", is_left ? 0 : wanted, [&] {
    MPI_Scatterv(a.data(), counts.data(), places.data(), type, b.data(), count, type, root, comm);
  });
  expect("alltoallv", wanted, [&] {
    MPI_Alltoallv(a.data(), counts.data(), places.data(), type, b.data(), counts.data(),
                  places.data(), type, comm);
  });
}

// Between nodes: the longest blocks that the built-in rules give the runtime, and one byte longer.
void at_the_limits() {
  constexpr std::uint64_t kMostAlltoallBlock = 4 << 10;  // on nodes of two ranks
  constexpr std::uint64_t kMostScatterBlock = 1 << 20;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto longest = static_cast<std::size_t>(kMostScatterBlock) + 1;
  std::vector<char> a(longest * static_cast<std::size_t>(ranks));
  std::vector<char> b(a.size());
  for (const int more : {0, 1}) {
    const int handled = 1 - more;
    const auto bytes = [&](std::uint64_t limit) { return static_cast<int>(limit) + more; };
    const int exchanged = bytes(kMostAlltoallBlock);
    expect("alltoall at its limit", handled, [&] {
      MPI_Alltoall(a.data(), exchanged, MPI_CHAR, b.data(), exchanged, MPI_CHAR, comm);
    });
    const int scattered = bytes(kMostScatterBlock);
    expect("scatter at its limit", handled, [&] {
      MPI_Scatter(a.data(), scattered, MPI_CHAR, b.data(), scattered, MPI_CHAR, 0, comm);
    });
  }
}

// Between two nodes an allgather and an alltoallv have no limit.
void without_limits() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  constexpr int kLong = 256 << 10;
  const std::vector<int> counts(static_cast<std::size_t>(ranks), kLong);
  std::vector<int> places;
  for (int r = 0; r < ranks; ++r) places.push_back(r * kLong);
  std::vector<char> a(counts.size() * kLong);
  std::vector<char> b(a.size());
  expect("allgather", 1,
         [&] { MPI_Allgather(a.data(), kLong, MPI_CHAR, b.data(), kLong, MPI_CHAR, comm); });
  expect("alltoallv", 1, [&] {
    MPI_Alltoallv(a.data(), counts.data(), places.data(), MPI_CHAR, b.data(), counts.data(),
                  places.data(), MPI_CHAR, comm);
  });
}

// On three nodes and more the shortest blocking calls are left to the MPI library where ranks are
// more than cores, but not on up to four nodes of four ranks.
void shortest() {
  constexpr int kNodes = 3;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const bool is_crowded = static_cast<unsigned>(ranks) > std::thread::hardware_concurrency();
  const long wanted = is_crowded && ranks / kNodes < 4 ? 0 : 1;
  std::vector<char> a(17, 1);
  std::vector<char> b(a.size());
  const auto allreduce = [&](int bytes) {
    MPI_Allreduce(a.data(), b.data(), bytes, MPI_CHAR, MPI_SUM, comm);
  };
  expect("barrier", wanted, [&] { MPI_Barrier(comm); });
  expect("allreduce of 16 bytes", wanted, [&] { allreduce(16); });
  expect("allreduce of 17 bytes", 1, [&] { allreduce(17); });
  MPI_Request request;
  expect("ibarrier", 1,
         [&] { MPI_Ibarrier(comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE); });
  // Also such a barrier lets a nonblocking call have the memory that it wants.
  std::vector<char> c(1 << 20, 1);
  std::vector<char> d(c.size());
  const auto iallreduce = [&] {
    MPI_Iallreduce(c.data(), d.data(), static_cast<int>(c.size()), MPI_CHAR, MPI_SUM, comm,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  expect("iallreduce without memory", 0, iallreduce);
  MPI_Barrier(comm);
  expect("iallreduce after a barrier", 1, iallreduce);
}

void what_is_passed_on() {
  std::vector<double> a(64, 1);
  std::vector<double> b(64);
  MPI_Op product;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &product);
  expect("not commutative", 0,
         [&] { MPI_Allreduce(a.data(), b.data(), 4, MPI_DOUBLE, product, MPI_COMM_WORLD); });
  MPI_Op_free(&product);
  expect("scan", 0, [&] { MPI_Scan(a.data(), b.data(), 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  expect("nothing to move", 0,
         [&] { MPI_Allreduce(a.data(), b.data(), 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
}

void wait_for(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

void nonblocking() {
  std::vector<double> a(64, 1);
  std::vector<double> b(64);
  MPI_Request request;
  const MPI_Comm comm = MPI_COMM_WORLD;
  expect("ibarrier", 1, [&] { MPI_Ibarrier(comm, &request), wait_for(request); });
  expect("ibcast", 1, [&] {
    MPI_Ibcast(a.data(), 4, MPI_DOUBLE, 0, comm, &request);
    wait_for(request);
  });
  expect("ireduce", 1, [&] {
    MPI_Ireduce(a.data(), b.data(), 4, MPI_DOUBLE, MPI_SUM, 0, comm, &request);
    wait_for(request);
  });
  expect("iallreduce", 1, [&] {
    MPI_Iallreduce(a.data(), b.data(), 4, MPI_DOUBLE, MPI_SUM, comm, &request);
    wait_for(request);
  });
  const std::vector<int> counts(static_cast<std::size_t>(ranks), 4);
  std::vector<int> places(counts.size());
  for (int r = 0; r < ranks; ++r) places[static_cast<std::size_t>(r)] = 4 * r;
  std::vector<double> each(4 * counts.size(), 1);
  std::vector<double> all(each.size());
  using Begin = std::function<void(MPI_Request*)>;
  const auto begun = [&](const char* name, int wanted, const Begin& begin) {
    expect(name, wanted, [&] { begin(&request), wait_for(request); });
  };
  const auto igather_on = [&](MPI_Comm on) {
    return [&, on](MPI_Request* r) {
      MPI_Igather(a.data(), 4, MPI_DOUBLE, all.data(), 4, MPI_DOUBLE, 0, on, r);
    };
  };
  begun("igather", 1, igather_on(comm));
  begun("iscatter", 1, [&](MPI_Request* r) {
    MPI_Iscatter(each.data(), 4, MPI_DOUBLE, b.data(), 4, MPI_DOUBLE, 0, comm, r);
  });
  begun("iallgather", 1, [&](MPI_Request* r) {
    MPI_Iallgather(a.data(), 4, MPI_DOUBLE, all.data(), 4, MPI_DOUBLE, comm, r);
  });
  begun("iallgatherv", 1, [&](MPI_Request* r) {
    MPI_Iallgatherv(a.data(), 4, MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE,
                    comm, r);
  });
  begun("ialltoall", 1, [&](MPI_Request* r) {
    MPI_Ialltoall(each.data(), 4, MPI_DOUBLE, all.data(), 4, MPI_DOUBLE, comm, r);
  });
  begun("ireduce_scatter", 1, [&](MPI_Request* r) {
    MPI_Ireduce_scatter(each.data(), b.data(), counts.data(), MPI_DOUBLE, MPI_SUM, comm, r);
  });
  begun("ireduce_scatter_block", 1, [&](MPI_Request* r) {
    MPI_Ireduce_scatter_block(each.data(), b.data(), 4, MPI_DOUBLE, MPI_SUM, comm, r);
  });
  begun("iscan", 0,
        [&](MPI_Request* r) { MPI_Iscan(a.data(), b.data(), 4, MPI_DOUBLE, MPI_SUM, comm, r); });
  begun("igatherv", 0, [&](MPI_Request* r) {
    MPI_Igatherv(a.data(), 4, MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE, 0,
                 comm, r);
  });
  // The first call on a communicator would have to wait for the others.
  MPI_Comm fresh;
  MPI_Comm_dup(comm, &fresh);
  expect("ibarrier before there is shared memory", 0,
         [&] { MPI_Ibarrier(fresh, &request), wait_for(request); });
  for (int i = 0; i < 2; ++i) MPI_Barrier(fresh);
  begun("igather before there are send buffers", 0, igather_on(fresh));
  MPI_Barrier(fresh);
  begun("igather after the barrier that asked for them", 1, igather_on(fresh));
  MPI_Comm_free(&fresh);
  const auto started_twice = [&](const char* name, const Begin& make) {
    expect(name, 2, [&] {
      make(&request);
      for (int i = 0; i < 2; ++i) MPI_Start(&request), wait_for(request);
      MPI_Request_free(&request);
    });
  };
  const MPI_Info none = MPI_INFO_NULL;
  started_twice("barrier_init", [&](MPI_Request* r) { MPI_Barrier_init(comm, none, r); });
  started_twice("bcast_init",
                [&](MPI_Request* r) { MPI_Bcast_init(a.data(), 4, MPI_DOUBLE, 0, comm, none, r); });
  started_twice("reduce_init", [&](MPI_Request* r) {
    MPI_Reduce_init(a.data(), b.data(), 4, MPI_DOUBLE, MPI_SUM, 0, comm, none, r);
  });
  started_twice("allreduce_init", [&](MPI_Request* r) {
    MPI_Allreduce_init(a.data(), b.data(), 4, MPI_DOUBLE, MPI_SUM, comm, none, r);
  });
  started_twice("reduce_scatter_init", [&](MPI_Request* r) {
    MPI_Reduce_scatter_init(each.data(), b.data(), counts.data(), MPI_DOUBLE, MPI_SUM, comm, none,
                            r);
  });
  started_twice("allgather_init", [&](MPI_Request* r) {
    MPI_Allgather_init(a.data(), 4, MPI_DOUBLE, all.data(), 4, MPI_DOUBLE, comm, none, r);
  });
  started_twice("gather_init", [&](MPI_Request* r) {
    MPI_Gather_init(a.data(), 4, MPI_DOUBLE, all.data(), 4, MPI_DOUBLE, 0, comm, none, r);
  });
  started_twice("scatter_init", [&](MPI_Request* r) {
    MPI_Scatter_init(each.data(), 4, MPI_DOUBLE, b.data(), 4, MPI_DOUBLE, 0, comm, none, r);
  });
  started_twice("alltoall_init", [&](MPI_Request* r) {
    MPI_Alltoall_init(each.data(), 4, MPI_DOUBLE, all.data(), 4, MPI_DOUBLE, comm, none, r);
  });
}

// Calls that queue: from the next blocking call without a root on, all but reductions are the
// library's between nodes.
void under_way() {
  constexpr int kCalls = 3;
  int number = 1;
  std::vector<std::vector<int>> all(kCalls, std::vector<int>(static_cast<std::size_t>(ranks)));
  std::vector<MPI_Request> requests(kCalls, MPI_REQUEST_NULL);
  const auto gathers = [&] {
    for (std::size_t i = 0; i < kCalls; ++i) {
      MPI_Iallgather(&number, 1, MPI_INT, all[i].data(), 1, MPI_INT, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(kCalls, requests.data(), MPI_STATUSES_IGNORE);
    for (const auto& each : all) {
      CHECK(each == std::vector<int>(each.size(), number), "an allgather that is under way");
    }
  };
  const auto sums = [&] {
    for (std::size_t i = 0; i < kCalls; ++i) {
      MPI_Iallreduce(&number, all[i].data(), 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(kCalls, requests.data(), MPI_STATUSES_IGNORE);
    for (const auto& each : all) {
      CHECK_EQUAL(each.front(), number * ranks, "an allreduce that is under way");
    }
  };
  MPI_Barrier(MPI_COMM_WORLD);
  expect("calls under way for the first time", kCalls, gathers);
  MPI_Barrier(MPI_COMM_WORLD);
  const bool are_left =
      !setting("MPIACTOR_NODES").empty() && setting("MPIACTOR_NEVER_WORSE") == "1";
  for (; number < 4; ++number) {
    expect("calls under way again", are_left ? 0 : kCalls, gathers);
    expect("reductions under way", kCalls, sums);
    expect("a blocking call", 1, [] { MPI_Barrier(MPI_COMM_WORLD); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(argc == 2 && hybrid_calls() >= 0,
        "usage: hybrid|default|shortest|under-way, with the runtime preloaded");
  MPI_Barrier(MPI_COMM_WORLD);                    // the call before the container
  if (argv[1] == std::string_view("shortest")) {  // on three nodes
    shortest();
    MPI_Finalize();
    return 0;
  }
  if (argv[1] == std::string_view("under-way")) {
    under_way();
    MPI_Finalize();
    return 0;
  }
  expect("barrier", 1, [] { MPI_Barrier(MPI_COMM_WORLD); });
  every_collective(1, 1);
  if (std::string_view(argv[1]) == "hybrid") {
    every_collective(200, 1);
    every_collective(100'000, 1);
  } else {
    // Long blocks: by single copy on one node; between nodes the MPI library is as quick.
    std::vector<char> a(static_cast<std::size_t>(ranks) << 20);
    std::vector<char> b(a.size());
    const bool one_node = setting("MPIACTOR_NODES").empty();
    expect("alltoall of 1 MiB", one_node ? 1 : 0, [&] {
      MPI_Alltoall(a.data(), 1 << 20, MPI_CHAR, b.data(), 1 << 20, MPI_CHAR, MPI_COMM_WORLD);
    });
    if (!one_node) {
      at_the_limits();
      without_limits();
    }
    // Blocks of a few KiB: through send buffers, where each rank has a core.
    const bool is_crowded = static_cast<unsigned>(ranks) > std::thread::hardware_concurrency();
    expect("allgather of 4 KiB", one_node && is_crowded ? 0 : 1, [&] {
      MPI_Allgather(a.data(), 4 << 10, MPI_CHAR, b.data(), 4 << 10, MPI_CHAR, MPI_COMM_WORLD);
    });
  }
  what_is_passed_on();
  nonblocking();
  MPI_Finalize();
}
