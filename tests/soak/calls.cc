#include "tests/soak/calls.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace mpiactor::soak {

namespace {

using Words = std::vector<std::uint64_t>;

// One call, as all of its ranks see it.
struct Call {
  const Group& group;
  std::uint64_t id;
  int count;  // words of a block
  int root;

  bool is_root() const { return group.rank == root; }
  int everybodys() const { return count * group.size; }
  // A rank's words first .. first + n - 1.
  Words words_of(int rank, int n, int first = 0) const {
    Words words;
    for (int i = 0; i < n; ++i) words.push_back(word_of(id, rank, first + i));
    return words;
  }
  Words mine(int n) const { return words_of(group.rank, n); }
  // Over all ranks, modulo 2^64.
  Words sums(int n, int first = 0) const {
    Words words(static_cast<std::size_t>(n), 0);
    for (int rank = 0; rank < group.size; ++rank) {
      for (int i = 0; i < n; ++i) {
        words[static_cast<std::size_t>(i)] += word_of(id, rank, first + i);
      }
    }
    return words;
  }
  // A block of each rank, one behind the other; each rank's begins at its word `first`.
  Words blocks(int first = 0) const {
    Words words;
    for (int rank = 0; rank < group.size; ++rank) {
      const Words block = words_of(rank, count, first);
      words.insert(words.end(), block.begin(), block.end());
    }
    return words;
  }
  void check(const Words& got, const Words& expected, const char* name) const {
    if (got == expected) return;
    fail(std::string(name) + ", " + std::to_string(count) + " words, root " + std::to_string(root) +
         ", call " + std::to_string(id) + ": wrong words at rank " + std::to_string(group.rank) +
         " of " + std::to_string(group.size));
  }
};

Words room(int n) { return Words(static_cast<std::size_t>(n), 0xabcdef); }

void barrier(const Call& c) { MPI_Barrier(c.group.comm); }

void bcast(const Call& c) {
  Words words = c.is_root() ? c.mine(c.count) : room(c.count);
  MPI_Bcast(words.data(), c.count, MPI_UINT64_T, c.root, c.group.comm);
  c.check(words, c.words_of(c.root, c.count), "MPI_Bcast");
}

void reduce(const Call& c) {
  const Words mine = c.mine(c.count);
  Words sums = room(c.count);
  MPI_Reduce(mine.data(), sums.data(), c.count, MPI_UINT64_T, MPI_SUM, c.root, c.group.comm);
  if (c.is_root()) c.check(sums, c.sums(c.count), "MPI_Reduce");
}

void allreduce(const Call& c) {
  Words sums = c.mine(c.count);
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), c.count, MPI_UINT64_T, MPI_SUM, c.group.comm);
  c.check(sums, c.sums(c.count), "MPI_Allreduce");
}

void reduce_scatter(const Call& c) {
  const Words mine = c.mine(c.everybodys());
  Words sums = room(c.count);
  MPI_Reduce_scatter_block(mine.data(), sums.data(), c.count, MPI_UINT64_T, MPI_SUM, c.group.comm);
  c.check(sums, c.sums(c.count, c.count * c.group.rank), "MPI_Reduce_scatter_block");
}

void gather(const Call& c) {
  const Words mine = c.mine(c.count);
  Words all = room(c.everybodys());
  MPI_Gather(mine.data(), c.count, MPI_UINT64_T, all.data(), c.count, MPI_UINT64_T, c.root,
             c.group.comm);
  if (c.is_root()) c.check(all, c.blocks(), "MPI_Gather");
}

void allgather(const Call& c) {
  const Words mine = c.mine(c.count);
  Words all = room(c.everybodys());
  MPI_Allgather(mine.data(), c.count, MPI_UINT64_T, all.data(), c.count, MPI_UINT64_T,
                c.group.comm);
  c.check(all, c.blocks(), "MPI_Allgather");
}

// Rank i gives count + i words.
void allgatherv(const Call& c) {
  std::vector<int> counts;
  std::vector<int> places;
  Words expected;
  for (int rank = 0; rank < c.group.size; ++rank) {
    counts.push_back(c.count + rank);
    places.push_back(static_cast<int>(expected.size()));
    const Words words = c.words_of(rank, counts.back());
    expected.insert(expected.end(), words.begin(), words.end());
  }
  const Words mine = c.mine(c.count + c.group.rank);
  Words all = room(static_cast<int>(expected.size()));
  MPI_Allgatherv(mine.data(), c.count + c.group.rank, MPI_UINT64_T, all.data(), counts.data(),
                 places.data(), MPI_UINT64_T, c.group.comm);
  c.check(all, expected, "MPI_Allgatherv");
}

void scatter(const Call& c) {
  const Words all = c.is_root() ? c.mine(c.everybodys()) : Words();
  Words mine = room(c.count);
  MPI_Scatter(all.data(), c.count, MPI_UINT64_T, mine.data(), c.count, MPI_UINT64_T, c.root,
              c.group.comm);
  c.check(mine, c.words_of(c.root, c.count, c.count * c.group.rank), "MPI_Scatter");
}

void alltoall(const Call& c) {
  const Words mine = c.mine(c.everybodys());
  Words all = room(c.everybodys());
  MPI_Alltoall(mine.data(), c.count, MPI_UINT64_T, all.data(), c.count, MPI_UINT64_T, c.group.comm);
  c.check(all, c.blocks(c.count * c.group.rank), "MPI_Alltoall");
}

// Rank i's part of a rooted call is count + i words; every third rank has none.
struct Parts {
  explicit Parts(const Call& c) {
    for (int rank = 0; rank < c.group.size; ++rank) {
      counts.push_back(rank % 3 == 2 ? 0 : c.count + rank);
      places.push_back(all);
      all += counts.back();
    }
    mine = counts[static_cast<std::size_t>(c.group.rank)];
    place = places[static_cast<std::size_t>(c.group.rank)];
  }
  std::vector<int> counts;
  std::vector<int> places;
  int all = 0;
  int mine = 0;
  int place = 0;
};

void gatherv(const Call& c) {
  const Parts parts(c);
  const Words mine = c.mine(parts.mine);
  Words all = room(parts.all);
  MPI_Gatherv(mine.data(), parts.mine, MPI_UINT64_T, all.data(), parts.counts.data(),
              parts.places.data(), MPI_UINT64_T, c.root, c.group.comm);
  if (!c.is_root()) return;
  Words expected;
  for (int rank = 0; rank < c.group.size; ++rank) {
    const Words words = c.words_of(rank, parts.counts[static_cast<std::size_t>(rank)]);
    expected.insert(expected.end(), words.begin(), words.end());
  }
  c.check(all, expected, "MPI_Gatherv");
}

void scatterv(const Call& c) {
  const Parts parts(c);
  const Words all = c.is_root() ? c.mine(parts.all) : Words();
  Words mine = room(parts.mine);
  MPI_Scatterv(all.data(), parts.counts.data(), parts.places.data(), MPI_UINT64_T, mine.data(),
               parts.mine, MPI_UINT64_T, c.root, c.group.comm);
  c.check(mine, c.words_of(c.root, parts.mine, parts.place), "MPI_Scatterv");
}

// Everybody gives rank i as much as it takes in the calls above.
void alltoallv(const Call& c) {
  const Parts parts(c);
  const std::vector<int> taken(static_cast<std::size_t>(c.group.size), parts.mine);
  std::vector<int> places;
  Words expected;
  for (int rank = 0; rank < c.group.size; ++rank) {
    places.push_back(rank * parts.mine);
    const Words words = c.words_of(rank, parts.mine, parts.place);
    expected.insert(expected.end(), words.begin(), words.end());
  }
  const Words mine = c.mine(parts.all);
  Words all = room(parts.mine * c.group.size);
  MPI_Alltoallv(mine.data(), parts.counts.data(), parts.places.data(), MPI_UINT64_T, all.data(),
                taken.data(), places.data(), MPI_UINT64_T, c.group.comm);
  c.check(all, expected, "MPI_Alltoallv");
}

// Mostly a few words; now and then more than a slot, and more than one request, holds.
int random_count(Random& random) {
  if (random.below(40) == 0) return 20000 + random.below(60000);
  if (random.below(6) == 0) return 256 + random.below(4096);
  return 1 + random.below(200);
}

constexpr std::array kCollectives = {barrier,        bcast,   bcast,     reduce,     allreduce,
                                     reduce_scatter, gather,  allgather, allgatherv, scatter,
                                     alltoall,       gatherv, scatterv,  alltoallv};

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Group make_group(MPI_Comm comm) {
  Group group{comm};
  if (comm == MPI_COMM_NULL) return group;
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.size);
  return group;
}

Group random_group(std::uint64_t choice) {
  const Group world = make_group(MPI_COMM_WORLD);
  MPI_Comm comm = MPI_COMM_NULL;
  switch (choice % 5) {
    case 0:
      MPI_Comm_split(MPI_COMM_WORLD, 0, -world.rank, &comm);
      break;
    case 1:
      MPI_Comm_split(MPI_COMM_WORLD, world.rank % 2, world.rank, &comm);
      break;
    case 2:
      MPI_Comm_split(MPI_COMM_WORLD, world.rank == world.size - 1 ? MPI_UNDEFINED : 0, world.rank,
                     &comm);
      break;
    default:
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  return make_group(comm);
}

void checked_call(const Group& group, std::uint64_t call) {
  Random random(call);
  const auto which = static_cast<std::size_t>(random.below(kCollectives.size()));
  const int count = random_count(random);
  kCollectives[which](Call{group, random.next(), count, random.below(group.size)});
}

void fail(const std::string& what) {
  std::fprintf(stderr, "soak: %s\n", what.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace mpiactor::soak
