// Nonblocking and persistent collectives: many under way at a time, completed in every way that MPI
// has; programs that are right only if whoever waits for something else goes on with them; what the
// application may free before they end.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"
#include "tests/collectives/sequence.h"
#include "tests/persistent_names.h"

namespace {

using namespace mpiactor::testing;

// Open MPI 4.1 does not keep types and communicators that are freed under its own nonblocking
// collectives, and fails in persistent ones and after errors.
#ifdef OPEN_MPI
constexpr bool kLibraryKeepsAll = false;
#else
constexpr bool kLibraryKeepsAll = true;
#endif

// One that is under way, and what must be in `got` in the end.
struct UnderWay {
  Words sent;
  Words got;
  Words expected;
};

enum class Kind { kIbarrier, kIbcast, kIreduce, kIallreduce };
constexpr int kKinds = 4;

MPI_Request begin(Case& at, UnderWay& u) {
  const Word call = at.shared.next();
  const int count = random_count(at.shared);
  const int root = at.shared.below(at.group.size);
  const bool is_root = at.group.rank == root;
  const MPI_Comm comm = at.group.comm;
  const auto kind = static_cast<Kind>(at.shared.below(kKinds));
  const bool in_place = at.shared.one_in(3);
  u.sent = words_of(call, at.group.rank, count);
  u.got = u.sent;
  u.expected = sums_of(call, 0, at.group.size, count);
  MPI_Request request = MPI_REQUEST_NULL;
  switch (kind) {
    case Kind::kIbarrier:
      u.expected = u.got;
      MPI_Ibarrier(comm, &request);
      break;
    case Kind::kIbcast: {
      u.expected = words_of(call, root, count);
      // A type that is freed at once: the call goes on with it.
      MPI_Datatype pair;
      MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
      MPI_Type_commit(&pair);
      MPI_Ibcast(u.got.data(), count, pair, root, comm, &request);
      if (kLibraryKeepsAll) MPI_Type_free(&pair);
      break;
    }
    case Kind::kIreduce:
      if (!is_root) u.expected = u.got;
      MPI_Ireduce(is_root && in_place ? MPI_IN_PLACE : u.sent.data(), u.got.data(), count,
                  MPI_UINT64_T, MPI_SUM, root, comm, &request);
      break;
    case Kind::kIallreduce:
      MPI_Iallreduce(in_place ? MPI_IN_PLACE : u.sent.data(), u.got.data(), count, MPI_UINT64_T,
                     MPI_SUM, comm, &request);
      break;
  }
  return request;
}

void complete_by_wait(Case& at, std::vector<MPI_Request>& requests) {
  for (const int i : at.own.permutation(static_cast<int>(requests.size()))) {
    MPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
  }
}

void complete_by_test(Case& at, std::vector<MPI_Request>& requests) {
  for (const int i : at.own.permutation(static_cast<int>(requests.size()))) {
    int done = 0;
    while (!done) MPI_Test(&requests[static_cast<std::size_t>(i)], &done, MPI_STATUS_IGNORE);
  }
}

void complete_all(Case&, std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void complete_any(Case&, std::vector<MPI_Request>& requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    int index = -1;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
  }
}

void complete_some(Case&, std::vector<MPI_Request>& requests) {
  std::vector<int> indices(requests.size());
  for (std::size_t done = 0; done < requests.size();) {
    int now = 0;
    MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &now, indices.data(),
                 MPI_STATUSES_IGNORE);
    done += static_cast<std::size_t>(now);
  }
}

using Complete = void (*)(Case&, std::vector<MPI_Request>&);
constexpr std::array<Complete, 5> kCompletions = {complete_by_wait, complete_by_test, complete_all,
                                                  complete_any, complete_some};

void many_at_a_time(Case& at) {
  std::vector<UnderWay> under_way(1 + static_cast<std::size_t>(at.shared.below(8)));
  std::vector<MPI_Request> requests;
  for (UnderWay& u : under_way) {
    requests.push_back(begin(at, u));
    at.maybe_sleep();
  }
  // Among them messages between neighbours.
  const int right = (at.group.rank + 1) % at.group.size;
  const int left = (at.group.rank + at.group.size - 1) % at.group.size;
  int told = at.group.rank;
  int heard = -1;
  requests.resize(requests.size() + 2);
  MPI_Irecv(&heard, 1, MPI_INT, left, 5, at.group.comm, &requests[requests.size() - 2]);
  MPI_Isend(&told, 1, MPI_INT, right, 5, at.group.comm, &requests[requests.size() - 1]);
  const int way = at.own.below(static_cast<int>(kCompletions.size()));
  at.text = std::to_string(under_way.size()) + " nonblocking collectives, completed in way " +
            std::to_string(way);
  kCompletions[static_cast<std::size_t>(way)](at, requests);
  if (heard != left) fail(at, "a message among them has another value");
  for (const UnderWay& u : under_way) check_words(u.got, u.expected, at);
}

// Into the same memory, whose address the request has.
void put(Words& to, const Words& words) { std::copy(words.begin(), words.end(), to.begin()); }

void started_again(Case& at) {
  const Word call = at.shared.next();
  const int count = random_count(at.shared);
  const int root = at.shared.below(at.group.size);
  at.text = "persistent collectives, " + std::to_string(count) + " words";
  Words broadcast(static_cast<std::size_t>(count));
  Words given(broadcast.size());
  Words sums(broadcast.size());
  std::array<MPI_Request, 2> requests;
  MPI_Bcast_init(broadcast.data(), count, MPI_UINT64_T, root, at.group.comm, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Allreduce_init(given.data(), sums.data(), count, MPI_UINT64_T, MPI_SUM, at.group.comm,
                     MPI_INFO_NULL, &requests[1]);
  for (Word round = call; round < call + 5; ++round) {
    const bool is_root = at.group.rank == root;
    put(broadcast, is_root ? words_of(round, root, count) : Words(broadcast.size()));
    put(given, words_of(round, at.group.rank, count));
    at.maybe_sleep();
    if (at.shared.one_in(2)) {
      MPI_Startall(2, requests.data());
    } else {
      MPI_Start(&requests[0]);
      MPI_Start(&requests[1]);
    }
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    check_words(broadcast, words_of(round, root, count), at);
    check_words(sums, sums_of(round, 0, at.group.size, count), at);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// The first rank waits for the collective before it lets the others go on, who meanwhile wait in
// another call: that call must go on with the collective.
void progress_elsewhere(Case& at) {
  const MPI_Comm comm = at.group.comm;
  const int size = at.group.size;
  const int way = at.shared.below(5);
  at.text = "waiting elsewhere, way " + std::to_string(way);
  MPI_Comm other = MPI_COMM_NULL;
  if (way >= 3) MPI_Comm_dup(comm, &other);
  const Word call = at.shared.next();
  const int count = random_count(at.shared);
  const Words given = words_of(call, at.group.rank, count);
  Words sums(given.size());
  MPI_Request request;
  MPI_Iallreduce(given.data(), sums.data(), count, MPI_UINT64_T, MPI_SUM, comm, &request);
  int token = 0;
  if (at.group.rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  switch (way) {
    case 0:  // a message
      if (at.group.rank == 0) {
        for (int i = 1; i < size; ++i) MPI_Send(&token, 1, MPI_INT, i, 6, comm);
      } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE);
      }
      break;
    case 1:  // to be received
      if (at.group.rank == 0) {
        for (int i = 1; i < size; ++i) {
          MPI_Recv(&token, 1, MPI_INT, i, 7, comm, MPI_STATUS_IGNORE);
        }
      } else {
        MPI_Ssend(&token, 1, MPI_INT, 0, 7, comm);
      }
      break;
    case 2:  // the sight of a message
      if (at.group.rank == 0) {
        for (int i = 1; i < size; ++i) MPI_Send(&token, 1, MPI_INT, i, 8, comm);
      } else {
        MPI_Probe(0, 8, comm, MPI_STATUS_IGNORE);
        MPI_Recv(&token, 1, MPI_INT, 0, 8, comm, MPI_STATUS_IGNORE);
      }
      break;
    case 3:  // a collective that is passed on
      MPI_Scan(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, other);
      MPI_Bcast(&token, 1, MPI_INT, 0, other);
      break;
    case 4:  // one that is handled, on another communicator
      for (int i = 0; i < 3; ++i) MPI_Bcast(&token, 1, MPI_INT, 0, other);
      break;
  }
  if (at.group.rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_words(sums, sums_of(call, 0, size, count), at);
  if (other != MPI_COMM_NULL) MPI_Comm_free(&other);
}

// Freed while a collective on it is under way, or before a persistent one is started again.
void freed_communicator(Case& at) {
  at.text = "a communicator that is freed early";
  MPI_Comm copy;
  MPI_Comm_dup(at.group.comm, &copy);
  for (int i = 0; i < 3; ++i) MPI_Barrier(copy);
  const Word call = at.shared.next();
  Words given = words_of(call, at.group.rank, 10);
  Words sums(given.size());
  std::array<MPI_Request, 2> requests;
  MPI_Iallreduce(MPI_IN_PLACE, given.data(), 10, MPI_UINT64_T, MPI_SUM, copy, &requests[0]);
  const Words more = words_of(call + 1, at.group.rank, 10);
  MPI_Allreduce_init(more.data(), sums.data(), 10, MPI_UINT64_T, MPI_SUM, copy, MPI_INFO_NULL,
                     &requests[1]);
  MPI_Start(&requests[1]);
  at.maybe_sleep();
  MPI_Comm_free(&copy);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  check_words(given, sums_of(call, 0, at.group.size, 10), at);
  check_words(sums, sums_of(call + 1, 0, at.group.size, 10), at);
}

// Blocking calls that come behind nonblocking ones on the same communicator.
void in_order(Case& at) {
  std::vector<UnderWay> under_way(3);
  std::vector<MPI_Request> requests;
  for (UnderWay& u : under_way) requests.push_back(begin(at, u));
  blocking_call(at);
  complete_by_wait(at, requests);
  at.text = "nonblocking collectives before a blocking one";
  for (const UnderWay& u : under_way) check_words(u.got, u.expected, at);
}

int class_of(int error) {
  int result = MPI_SUCCESS;
  MPI_Error_class(error, &result);
  return result;
}

// Receive buffers that are too short: an error where the request is completed, and nothing beyond
// them is written.
void short_buffers(Case& at) {
  at.text = "a broadcast into short buffers";
  const Word call = at.shared.next();
  const int root = at.shared.below(at.group.size);
  const bool is_root = at.group.rank == root;
  const int wanted = is_root || at.group.size == 1 ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
  const int count = is_root ? 20 : 10;
  const Words sent = words_of(call, root, 20);
  for (const bool persistent : {false, true}) {
    Words got = is_root ? sent : Words(20);
    Words expected(sent.begin(), sent.begin() + count);
    expected.resize(20);
    MPI_Request request;
    if (persistent) {
      MPI_Bcast_init(got.data(), count, MPI_UINT64_T, root, at.group.comm, MPI_INFO_NULL, &request);
      MPI_Start(&request);
    } else {
      MPI_Ibcast(got.data(), count, MPI_UINT64_T, root, at.group.comm, &request);
    }
    const int error = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (persistent) MPI_Request_free(&request);
    if (error != wanted) {
      fail(at, "error class " + std::to_string(error) + ", not " + std::to_string(wanted));
    }
    check_words(got, expected, at);
  }
}

constexpr std::array kPrograms = {many_at_a_time, started_again,      many_at_a_time,
                                  in_order,       progress_elsewhere, freed_communicator};

// On a communicator that has shared memory.
void check_errors(const Group& world, std::uint64_t seed) {
  for (int i = 0; i < 3; ++i) MPI_Barrier(world.comm);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, world.comm}) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  for (std::uint64_t number = 0; number < 20; ++number) {
    Case at(world, seed, number);
    short_buffers(at);
  }
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, world.comm}) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  if (kLibraryKeepsAll) check_errors(job.world(), job.seed());
  job.run_cases([&](const Group& group, std::uint64_t number) {
    Case at(group, job.seed(), number);
    const auto program = kPrograms[number % kPrograms.size()];
    const bool wants_all = program == started_again || program == freed_communicator;
    if (kLibraryKeepsAll || !wants_all) program(at);
  });
  return 0;
}
