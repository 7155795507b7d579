#include <array>
#include <string>

#include "tests/collectives/sequence.h"
#include "tests/persistent_names.h"

namespace mpiactor::testing {

namespace {

std::vector<int> multiples(int count, int of) {
  std::vector<int> result;
  for (int i = 0; i < count; ++i) result.push_back(i * of);
  return result;
}

void describe(Case& at, const char* name, int count) {
  at.text = std::string(name) + ", " + std::to_string(count) + " words";
}

void scan(Case& at) {
  const Word call = at.shared.next();
  const int count = random_count(at.shared);
  describe(at, "MPI_Scan", count);
  Words words = words_of(call, at.group.rank, count);
  MPI_Scan(MPI_IN_PLACE, words.data(), count, MPI_UINT64_T, MPI_SUM, at.group.comm);
  check_words(words, sums_of(call, 0, at.group.rank + 1, count), at);
}

void exscan(Case& at) {
  const Word call = at.shared.next();
  const int count = random_count(at.shared);
  describe(at, "MPI_Exscan", count);
  const Words mine = words_of(call, at.group.rank, count);
  Words words(mine.size());
  MPI_Exscan(mine.data(), words.data(), count, MPI_UINT64_T, MPI_SUM, at.group.comm);
  if (at.group.rank > 0) check_words(words, sums_of(call, 0, at.group.rank, count), at);
}

void alltoallw(Case& at) {
  const Word call = at.shared.next();
  const int size = at.group.size;
  const int count = 1 + random_count(at.shared);
  describe(at, "MPI_Alltoallw", count);
  const Words mine = words_of(call, at.group.rank, count * size);
  Words got(mine.size());
  const auto n = static_cast<std::size_t>(size);
  const std::vector<int> counts(n, count);
  const std::vector<int> at_bytes = multiples(size, count * static_cast<int>(sizeof(Word)));
  const std::vector<MPI_Datatype> types(n, MPI_UINT64_T);
  MPI_Alltoallw(mine.data(), counts.data(), at_bytes.data(), types.data(), got.data(),
                counts.data(), at_bytes.data(), types.data(), at.group.comm);
  Words expected;
  for (int i = 0; i < size; ++i) append(expected, words_of(call, i, count, count * at.group.rank));
  check_words(got, expected, at);
}

// Something under way: its buffers, and what must be in them in the end.
struct UnderWay {
  MPI_Request request = MPI_REQUEST_NULL;
  bool persistent = false;
  Words sent;
  Words got;
  Words expected;
};

enum class Kind {
  kIbcast,
  kIreduce,
  kIallreduce,
  kIbarrier,
  kIallgather,
  kIalltoall,
  kBcastInit,
  kAllreduceInit
};
constexpr int kKinds = 8;

void start(Case& at, Kind kind, UnderWay& u) {
  const Word call = at.shared.next();
  const int count = random_count(at.shared);
  const int root = at.shared.below(at.group.size);
  const int size = at.group.size;
  const MPI_Comm comm = at.group.comm;
  const bool is_root = at.group.rank == root;
  u.sent = words_of(call, at.group.rank, count);
  u.got.resize(u.sent.size());
  u.expected = sums_of(call, 0, size, count);
  switch (kind) {
    case Kind::kIbcast:
    case Kind::kBcastInit:
      u.expected = words_of(call, root, count);
      if (is_root) u.got = u.sent;
      u.persistent = kind == Kind::kBcastInit;
      if (u.persistent) {
        MPI_Bcast_init(u.got.data(), count, MPI_UINT64_T, root, comm, MPI_INFO_NULL, &u.request);
        MPI_Start(&u.request);
      } else {
        MPI_Ibcast(u.got.data(), count, MPI_UINT64_T, root, comm, &u.request);
      }
      return;
    case Kind::kIreduce:
      if (!is_root) u.expected = u.got;
      MPI_Ireduce(u.sent.data(), u.got.data(), count, MPI_UINT64_T, MPI_SUM, root, comm,
                  &u.request);
      return;
    case Kind::kIallreduce:
      MPI_Iallreduce(u.sent.data(), u.got.data(), count, MPI_UINT64_T, MPI_SUM, comm, &u.request);
      return;
    case Kind::kAllreduceInit:
      u.persistent = true;
      MPI_Allreduce_init(u.sent.data(), u.got.data(), count, MPI_UINT64_T, MPI_SUM, comm,
                         MPI_INFO_NULL, &u.request);
      MPI_Start(&u.request);
      return;
    case Kind::kIbarrier:
      u.expected = u.got;
      MPI_Ibarrier(comm, &u.request);
      return;
    case Kind::kIallgather:
      u.expected.clear();
      for (int i = 0; i < size; ++i) append(u.expected, words_of(call, i, count));
      u.got.resize(u.expected.size());
      MPI_Iallgather(u.sent.data(), count, MPI_UINT64_T, u.got.data(), count, MPI_UINT64_T, comm,
                     &u.request);
      return;
    case Kind::kIalltoall:
      u.expected.clear();
      for (int i = 0; i < size; ++i)
        append(u.expected, words_of(call, i, count, count * at.group.rank));
      u.sent = words_of(call, at.group.rank, count * size);
      u.got.resize(u.expected.size());
      MPI_Ialltoall(u.sent.data(), count, MPI_UINT64_T, u.got.data(), count, MPI_UINT64_T, comm,
                    &u.request);
      return;
  }
}

}  // namespace

void passed_on_call(Case& at) {
  static constexpr std::array kCollectives = {scan, exscan, alltoallw};
  kCollectives[static_cast<std::size_t>(at.shared.below(3))](at);
}

void overlapping_calls(Case& at) {
  std::array<UnderWay, 3> under_way;
  const std::size_t count = 1 + static_cast<std::size_t>(at.shared.below(3));
  std::string kinds;
  for (std::size_t i = 0; i < count; ++i) {
    const int kind = at.shared.below(kKinds);
    kinds += (i == 0 ? "" : ", ") + std::to_string(kind);
    start(at, static_cast<Kind>(kind), under_way[i]);
  }
  at.maybe_sleep();
  blocking_call(at);
  // In an order of each rank's own.
  for (const int i : at.own.permutation(static_cast<int>(count))) {
    UnderWay& u = under_way[static_cast<std::size_t>(i)];
    MPI_Wait(&u.request, MPI_STATUS_IGNORE);
    if (u.persistent) MPI_Request_free(&u.request);
    at.text = "nonblocking collective " + std::to_string(i) + " of kinds " + kinds +
              " (sequence_passed_on's Kind) around a blocking one";
    check_words(u.got, u.expected, at);
  }
}

OtherCommunicators::OtherCommunicators(const Group& group) {
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(group.comm, 1, &group.size, &periodic, 0, &ring);
  ring_ = make_group(ring, "a ring of " + group.name);
  if (group.size < 2) return;
  // Even and odd ranks; the leaders are 0 and 1.
  MPI_Comm_split(group.comm, group.rank % 2, group.rank, &half_);
  MPI_Intercomm_create(half_, 0, group.comm, 1 - group.rank % 2, 77, &between_);
}

OtherCommunicators::~OtherCommunicators() {
  free_group(ring_);
  if (between_ == MPI_COMM_NULL) return;
  MPI_Comm_free(&between_);
  MPI_Comm_free(&half_);
}

void OtherCommunicators::inter_communicator_call(Case& at) {
  if (between_ == MPI_COMM_NULL) return;
  const Word call = at.shared.next();
  const int count = 1 + random_count(at.shared);
  const int side = at.group.rank % 2;
  const bool sends = at.shared.below(2) == side;
  int mine = 0;
  MPI_Comm_rank(half_, &mine);
  const Words own = words_of(call, at.group.rank, count);
  Words got(own.size());
  switch (at.shared.below(3)) {
    case 0: {
      describe(at, "MPI_Bcast between groups", count);
      const int root = sends ? (mine == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
      Words words = sends ? own : got;
      MPI_Bcast(words.data(), count, MPI_UINT64_T, root, between_);
      if (!sends) check_words(words, words_of(call, 1 - side, count), at);
      return;
    }
    case 1: {
      describe(at, "MPI_Allreduce between groups", count);
      MPI_Allreduce(own.data(), got.data(), count, MPI_UINT64_T, MPI_SUM, between_);
      Words expected(own.size(), 0);
      for (int rank = 1 - side; rank < at.group.size; rank += 2) {
        const Words theirs = words_of(call, rank, count);
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += theirs[i];
      }
      check_words(got, expected, at);
      return;
    }
    default: {
      describe(at, "MPI_Allgather between groups", count);
      Words expected;
      for (int rank = 1 - side; rank < at.group.size; rank += 2)
        append(expected, words_of(call, rank, count));
      got.resize(expected.size());
      MPI_Allgather(own.data(), count, MPI_UINT64_T, got.data(), count, MPI_UINT64_T, between_);
      check_words(got, expected, at);
      MPI_Barrier(between_);
    }
  }
}

void OtherCommunicators::neighbourhood_call(Case& at) {
  const Word call = at.shared.next();
  const int count = random_count(at.shared);
  const int size = ring_.size;
  const int before = (ring_.rank + size - 1) % size;
  const int behind = (ring_.rank + 1) % size;
  Words got(2 * static_cast<std::size_t>(count));
  // On a ring of two the neighbour before is the one behind, and which of its blocks comes first is
  // the library's choice.
  if (size > 2 && at.shared.one_in(2)) {
    describe(at, "MPI_Neighbor_alltoall", count);
    const Words sent = words_of(call, ring_.rank, 2 * count);
    MPI_Neighbor_alltoall(sent.data(), count, MPI_UINT64_T, got.data(), count, MPI_UINT64_T,
                          ring_.comm);
    Words expected = words_of(call, before, count, count);
    append(expected, words_of(call, behind, count));
    check_words(got, expected, at);
    return;
  }
  describe(at, "MPI_Neighbor_allgather", count);
  const Words sent = words_of(call, ring_.rank, count);
  MPI_Neighbor_allgather(sent.data(), count, MPI_UINT64_T, got.data(), count, MPI_UINT64_T,
                         ring_.comm);
  Words expected = words_of(call, before, count);
  append(expected, words_of(call, behind, count));
  check_words(got, expected, at);
}

}  // namespace mpiactor::testing
