// Buffers in a GPU's memory, as a stand-in for its run-time library tells it: a call with one goes
// to the MPI library, on all ranks, whoever has it; other calls are handled.
//
// Arguments: the stand-in; who loads it, before MPI begins: "all", "none" or a rank; whether the
// runtime shall care: "cares", "ignores".
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/actor/device_memory/stand_in.h"
#include "tests/collectives/calls.h"

namespace {

using namespace mpiactor::testing;

const MPI_Comm kComm = MPI_COMM_WORLD;
constexpr int kCount = 5;
constexpr int kEverybody = -1;
constexpr int kNobody = -2;

int rank = 0;
int ranks = 0;
int loader = kNobody;
bool cares = false;
void* library = nullptr;

bool is_one_of(int who, int r) { return who == kEverybody || who == r; }

template <typename Function>
Function* of_library(const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

// Two vectors with a block for each rank, in the host's memory or a device's.
struct Place {
  Place() : send(size()), recv(size()) {}
  static std::size_t size() { return static_cast<std::size_t>(ranks) * kCount; }
  static std::size_t bytes() { return size() * sizeof(int); }
  void fill() {
    for (std::size_t i = 0; i < size(); ++i) {
      send[i] = static_cast<int>(i) + 1000 * rank;
      recv[i] = -static_cast<int>(i) - 1000 * rank;
    }
  }
  std::vector<int> send;
  std::vector<int> recv;
};

struct Test {
  const char* name;
  std::function<void(const Calls&, int root, int* send, int* recv)> call;
  // Whether the buffers are read or written on rank r.
  std::function<bool(int r, int root)> uses_send;
  std::function<bool(int r, int root)> uses_recv;
};

const auto kAlways = [](int, int) { return true; };
const auto kNever = [](int, int) { return false; };
const auto kAtRoot = [](int r, int root) { return r == root; };
const auto kElsewhere = [](int r, int root) { return r != root; };

void* in_place_at(int root, void* elsewhere) { return rank == root ? MPI_IN_PLACE : elsewhere; }

// Blocks of all ranks; rank 0's is empty.
struct Parts {
  Parts() {
    for (int r = 0; r < ranks; ++r) {
      counts.push_back(r == 0 ? 0 : kCount);
      places.push_back(r * kCount);
    }
  }
  std::vector<int> counts;
  std::vector<int> places;
};

// What lies at `place`, seen from `base`.
void bcast_from_afar(const Calls& mpi, int root, int* base, int* place) {
  const int count = kCount;
  const MPI_Aint distance = reinterpret_cast<MPI_Aint>(place) - reinterpret_cast<MPI_Aint>(base);
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &count, &distance, MPI_INT, &type);
  MPI_Type_commit(&type);
  mpi.bcast(base, 1, type, root, kComm);
  MPI_Type_free(&type);
}

std::vector<Test> tests() {
  static const Parts parts;
  static const int* const counts = parts.counts.data();
  static const int* const places = parts.places.data();
  const auto mine = [] { return rank == 0 ? 0 : kCount; };
  const auto give = [](int r, int) { return r != 0; };
  return {
      {"barrier", [](const Calls& mpi, int, int*, int*) { mpi.barrier(kComm); }, kNever, kNever},
      {"bcast",
       [](const Calls& mpi, int root, int*, int* recv) {
         mpi.bcast(recv, kCount, MPI_INT, root, kComm);
       },
       kNever, kAlways},
      {"bcast from afar", bcast_from_afar, kNever, kAlways},
      {"bcast of an absolute address",
       [](const Calls& mpi, int root, int*, int* recv) {
         bcast_from_afar(mpi, root, static_cast<int*>(MPI_BOTTOM), recv);
       },
       kNever, kAlways},
      {"reduce",
       [](const Calls& mpi, int root, int* send, int* recv) {
         mpi.reduce(send, recv, kCount, MPI_INT, MPI_SUM, root, kComm);
       },
       kAlways, kAtRoot},
      {"reduce in place",
       [](const Calls& mpi, int root, int* send, int* recv) {
         mpi.reduce(in_place_at(root, send), recv, kCount, MPI_INT, MPI_SUM, root, kComm);
       },
       kElsewhere, kAtRoot},
      {"allreduce",
       [](const Calls& mpi, int, int* send, int* recv) {
         mpi.allreduce(send, recv, kCount, MPI_INT, MPI_SUM, kComm);
       },
       kAlways, kAlways},
      {"allreduce in place",
       [](const Calls& mpi, int, int*, int* recv) {
         mpi.allreduce(MPI_IN_PLACE, recv, kCount, MPI_INT, MPI_SUM, kComm);
       },
       kNever, kAlways},
      {"reduce_scatter",
       [](const Calls& mpi, int, int* send, int* recv) {
         mpi.reduce_scatter(send, recv, std::vector<int>(Place::size(), kCount).data(), MPI_INT,
                            MPI_SUM, kComm);
       },
       kAlways, kAlways},
      {"reduce_scatter_block",
       [](const Calls& mpi, int, int* send, int* recv) {
         mpi.reduce_scatter_block(send, recv, kCount, MPI_INT, MPI_SUM, kComm);
       },
       kAlways, kAlways},
      {"allgather",
       [](const Calls& mpi, int, int* send, int* recv) {
         mpi.allgather(send, kCount, MPI_INT, recv, kCount, MPI_INT, kComm);
       },
       kAlways, kAlways},
      {"allgather in place",
       [](const Calls& mpi, int, int*, int* recv) {
         mpi.allgather(MPI_IN_PLACE, 0, MPI_INT, recv, kCount, MPI_INT, kComm);
       },
       kNever, kAlways},
      {"allgatherv",
       [mine](const Calls& mpi, int, int* send, int* recv) {
         mpi.allgatherv(send, mine(), MPI_INT, recv, counts, places, MPI_INT, kComm);
       },
       give, kAlways},
      {"gather",
       [](const Calls& mpi, int root, int* send, int* recv) {
         mpi.gather(send, kCount, MPI_INT, recv, kCount, MPI_INT, root, kComm);
       },
       kAlways, kAtRoot},
      {"gather in place",
       [](const Calls& mpi, int root, int* send, int* recv) {
         mpi.gather(in_place_at(root, send), kCount, MPI_INT, recv, kCount, MPI_INT, root, kComm);
       },
       kElsewhere, kAtRoot},
      {"gatherv",
       [mine](const Calls& mpi, int root, int* send, int* recv) {
         mpi.gatherv(send, mine(), MPI_INT, recv, counts, places, MPI_INT, root, kComm);
       },
       give, kAtRoot},
      {"scatter",
       [](const Calls& mpi, int root, int* send, int* recv) {
         mpi.scatter(send, kCount, MPI_INT, recv, kCount, MPI_INT, root, kComm);
       },
       kAtRoot, kAlways},
      {"scatter in place",
       [](const Calls& mpi, int root, int* send, int* recv) {
         void* const to = in_place_at(root, recv);
         mpi.scatter(send, kCount, MPI_INT, to, kCount, MPI_INT, root, kComm);
       },
       kAtRoot, kElsewhere},
      {"scatterv",
       [mine](const Calls& mpi, int root, int* send, int* recv) {
         mpi.scatterv(send, counts, places, MPI_INT, recv, mine(), MPI_INT, root, kComm);
       },
       kAtRoot, give},
      {"alltoall",
       [](const Calls& mpi, int, int* send, int* recv) {
         mpi.alltoall(send, kCount, MPI_INT, recv, kCount, MPI_INT, kComm);
       },
       kAlways, kAlways},
      {"alltoall in place",
       [](const Calls& mpi, int, int*, int* recv) {
         mpi.alltoall(MPI_IN_PLACE, 0, MPI_INT, recv, kCount, MPI_INT, kComm);
       },
       kNever, kAlways},
      {"alltoallv",
       [mine](const Calls& mpi, int, int* send, int* recv) {
         const std::vector<int> taken(Place::size(), mine());
         mpi.alltoallv(send, counts, places, MPI_INT, recv, taken.data(), places, MPI_INT, kComm);
       },
       kAlways, give},
  };
}

// Which buffers lie on a device, on the ranks `who`.
struct Layout {
  int who;
  bool send;
  bool recv;
};

bool is_seen(const Test& test, int root, const Layout& layout) {
  for (int r = 0; r < ranks; ++r) {
    if (!is_one_of(layout.who, r) || !is_one_of(loader, r)) continue;
    if (layout.send && test.uses_send(r, root)) return true;
    if (layout.recv && test.uses_recv(r, root)) return true;
  }
  return false;
}

void run(const Test& test, int root, const Layout& layout, Place& host, Place& device) {
  const bool mine = is_one_of(layout.who, rank) && library;
  host.fill();
  device.fill();
  int* const send = (mine && layout.send ? device : host).send.data();
  int* const recv = (mine && layout.recv ? device : host).recv.data();
  Place expected;
  expected.fill();
  test.call(kLibrary, root, expected.send.data(), expected.recv.data());
  const long before = hybrid_calls();
  test.call(kProgram, root, send, recv);
  const std::string context = std::string(test.name) + ", root " + std::to_string(root) +
                              ", ranks " + std::to_string(layout.who) +
                              (layout.send ? ", send" : "") + (layout.recv ? ", recv" : "");
  CHECK(std::equal(expected.recv.begin(), expected.recv.end(), recv), context);
  CHECK(std::equal(expected.send.begin(), expected.send.end(), send), context);
  // Scatterv between nodes goes to the MPI library anyway.
  const bool is_left = test.name == std::string_view("scatterv") && std::getenv("MPIACTOR_NODES");
  const bool passed = is_left || (cares && is_seen(test, root, layout));
  CHECK_EQUAL(hybrid_calls() - before, passed ? 0L : 1L, context);
}

// They cannot agree.
void run_nonblocking() {
  std::vector<int> a(kCount, rank);
  std::vector<int> b(kCount);
  const long wanted = cares && loader != kNobody ? 0 : 1;
  const auto expect = [&](const char* what, auto start) {
    MPI_Request request;
    const long before = hybrid_calls();
    start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQUAL(hybrid_calls() - before, wanted, std::string(what));
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  };
  expect("iallreduce", [&](MPI_Request* request) {
    MPI_Iallreduce(a.data(), b.data(), kCount, MPI_INT, MPI_SUM, kComm, request);
  });
  CHECK_EQUAL(b.back(), ranks * (ranks - 1) / 2, "iallreduce");
  expect("ibcast",
         [&](MPI_Request* request) { MPI_Ibcast(a.data(), kCount, MPI_INT, 1, kComm, request); });
  CHECK_EQUAL(a.back(), 1, "ibcast");
#ifndef OPEN_MPI  // whose persistent calls are its own
  expect("bcast_init", [&](MPI_Request* request) {
    MPI_Bcast_init(a.data(), kCount, MPI_INT, 0, kComm, MPI_INFO_NULL, request);
    MPI_Start(request);
  });
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  const std::string_view who = argv[2];
  loader = who == "all" ? kEverybody : who == "none" ? kNobody : std::atoi(argv[2]);
  cares = std::string_view(argv[3]) == "cares";
  const char* rank_text = std::getenv("PMI_RANK");
  if (!rank_text) rank_text = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank_text && is_one_of(loader, std::atoi(rank_text))) {
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return 1;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(kComm, &rank);
  MPI_Comm_size(kComm, &ranks);
  CHECK_EQUAL(library != nullptr, is_one_of(loader, rank), "loaded");

  Place host;
  Place device;
  if (library) {
    const auto call = of_library<decltype(stand_in_call)>("stand_in_call");
    call(device.send.data(), Place::bytes(), kOnDevice);
    call(device.recv.data(), Place::bytes(), kOnDevice);
  }
  std::vector<int> owners = {kNobody, kEverybody};
  for (int r = 0; r < ranks; ++r) owners.push_back(r);
  for (const Test& test : tests()) {
    for (const int root : {0, ranks - 1}) {
      for (const int owner : owners) {
        run(test, root, {owner, true, false}, host, device);
        run(test, root, {owner, false, true}, host, device);
      }
    }
  }
  run_nonblocking();
  if (library) {
    const auto questions = of_library<decltype(stand_in_questions)>("stand_in_questions");
    CHECK_EQUAL(questions() > 0, cares, "questions");
  }
  MPI_Finalize();
  return 0;
}
