#include <array>
#include <cstring>
#include <numeric>
#include <string>

#include "tests/collectives/sequence.h"

namespace mpiactor::testing {

namespace {

// What the calls below have in common.
struct Call {
  Call(Case& of, const char* name)
      : at(of),
        id(of.shared.next()),
        count(random_count(of.shared)),
        root(of.shared.below(of.group.size)),
        in_place(of.shared.one_in(4)),
        rank(of.group.rank),
        size(of.group.size),
        comm(of.group.comm) {
    at.text = std::string(name) + (in_place ? " in place, " : ", ") + std::to_string(count) +
              " words, root " + std::to_string(root);
  }
  bool is_root() const { return rank == root; }
  Words own(int n) const { return words_of(id, rank, n); }
  // The words 0 <= index < count of every rank.
  Words everybodys() const {
    Words all;
    for (int i = 0; i < size; ++i) append(all, words_of(id, i, count));
    return all;
  }

  Case& at;
  Word id;
  int count;
  int root;
  bool in_place;
  int rank;
  int size;
  MPI_Comm comm;
};

Words room(int count) { return Words(static_cast<std::size_t>(count), 0xabcdef); }

void barrier(Case& at) {
  const Call c(at, "MPI_Barrier");
  MPI_Barrier(c.comm);
}

void bcast(Case& at) {
  const Call c(at, "MPI_Bcast");
  Words words = c.is_root() ? c.own(c.count) : room(c.count);
  MPI_Bcast(words.data(), c.count, MPI_UINT64_T, c.root, c.comm);
  check_words(words, words_of(c.id, c.root, c.count), at);
}

void reduce(Case& at) {
  Call c(at, "MPI_Reduce");
  // See reductions_test: the library crashes for long messages in place at other roots.
  if (c.root != 0 && c.count >= 256) c.in_place = false;
  const bool leave_out = c.in_place && c.is_root();
  const Words mine = c.own(c.count);
  Words sums = leave_out ? mine : room(c.is_root() ? c.count : 0);
  MPI_Reduce(leave_out ? MPI_IN_PLACE : mine.data(), sums.data(), c.count, MPI_UINT64_T, MPI_SUM,
             c.root, c.comm);
  if (c.is_root()) check_words(sums, sums_of(c.id, 0, c.size, c.count), at);
}

void allreduce(Case& at) {
  const Call c(at, "MPI_Allreduce");
  const Words mine = c.own(c.count);
  Words sums = c.in_place ? mine : room(c.count);
  MPI_Allreduce(c.in_place ? MPI_IN_PLACE : mine.data(), sums.data(), c.count, MPI_UINT64_T,
                MPI_SUM, c.comm);
  check_words(sums, sums_of(c.id, 0, c.size, c.count), at);
}

void reduce_scatter_block(Case& at) {
  const Call c(at, "MPI_Reduce_scatter_block");
  const Words mine = c.own(c.count * c.size);
  Words sums = c.in_place ? mine : room(c.count);
  MPI_Reduce_scatter_block(c.in_place ? MPI_IN_PLACE : mine.data(), sums.data(), c.count,
                           MPI_UINT64_T, MPI_SUM, c.comm);
  sums.resize(static_cast<std::size_t>(c.count));
  check_words(sums, sums_of(c.id, 0, c.size, c.count, c.rank * c.count), at);
}

// A different number of words for each rank, some none; all ranks draw the same.
struct Parts {
  explicit Parts(const Call& c) {
    for (int i = 0; i < c.size; ++i) {
      at.push_back(all);
      counts.push_back(c.at.shared.one_in(4) ? 0 : c.at.shared.below(2 * c.count + 1));
      all += counts.back();
    }
    mine = counts[static_cast<std::size_t>(c.rank)];
    my_place = at[static_cast<std::size_t>(c.rank)];
  }
  // Each rank's own first words, one part behind the other.
  Words joined(const Call& c) const {
    Words words;
    for (int i = 0; i < c.size; ++i)
      append(words, words_of(c.id, i, counts[static_cast<std::size_t>(i)]));
    return words;
  }
  std::vector<int> counts;
  std::vector<int> at;
  int all = 0;
  int mine = 0;
  int my_place = 0;
};

void reduce_scatter(Case& at) {
  Call c(at, "MPI_Reduce_scatter");
  const Parts parts(c);
  // See reductions_test: the library aborts for long ones in place.
  if (parts.all >= 65536) c.in_place = false;
  const Words operands = c.own(parts.all);
  Words sums = c.in_place ? operands : room(parts.mine);
  MPI_Reduce_scatter(c.in_place ? MPI_IN_PLACE : operands.data(), sums.data(), parts.counts.data(),
                     MPI_UINT64_T, MPI_SUM, c.comm);
  sums.resize(static_cast<std::size_t>(parts.mine));
  check_words(sums, sums_of(c.id, 0, c.size, parts.mine, parts.my_place), at);
}

// In place, a rank's own part already lies where it belongs.
Words room_with_own_part(bool in_place, int all, const Words& mine, int place) {
  Words words = room(all);
  if (in_place && !mine.empty())
    std::memcpy(words.data() + place, mine.data(), mine.size() * sizeof(Word));
  return words;
}

void gather(Case& at) {
  const Call c(at, "MPI_Gather");
  const bool leave_out = c.in_place && c.is_root();
  const Words mine = c.own(c.count);
  Words all;
  if (c.is_root()) all = room_with_own_part(leave_out, c.count * c.size, mine, c.count * c.rank);
  MPI_Gather(leave_out ? MPI_IN_PLACE : mine.data(), c.count, MPI_UINT64_T, all.data(), c.count,
             MPI_UINT64_T, c.root, c.comm);
  if (c.is_root()) check_words(all, c.everybodys(), at);
}

void gatherv(Case& at) {
  const Call c(at, "MPI_Gatherv");
  const Parts parts(c);
  const bool leave_out = c.in_place && c.is_root();
  const Words mine = c.own(parts.mine);
  Words all;
  if (c.is_root()) all = room_with_own_part(leave_out, parts.all, mine, parts.my_place);
  MPI_Gatherv(leave_out ? MPI_IN_PLACE : mine.data(), parts.mine, MPI_UINT64_T, all.data(),
              parts.counts.data(), parts.at.data(), MPI_UINT64_T, c.root, c.comm);
  if (c.is_root()) check_words(all, parts.joined(c), at);
}

void allgather(Case& at) {
  const Call c(at, "MPI_Allgather");
  const Words mine = c.own(c.count);
  Words all = room_with_own_part(c.in_place, c.count * c.size, mine, c.count * c.rank);
  MPI_Allgather(c.in_place ? MPI_IN_PLACE : mine.data(), c.count, MPI_UINT64_T, all.data(), c.count,
                MPI_UINT64_T, c.comm);
  check_words(all, c.everybodys(), at);
}

void allgatherv(Case& at) {
  const Call c(at, "MPI_Allgatherv");
  const Parts parts(c);
  const Words mine = c.own(parts.mine);
  Words all = room_with_own_part(c.in_place, parts.all, mine, parts.my_place);
  MPI_Allgatherv(c.in_place ? MPI_IN_PLACE : mine.data(), parts.mine, MPI_UINT64_T, all.data(),
                 parts.counts.data(), parts.at.data(), MPI_UINT64_T, c.comm);
  check_words(all, parts.joined(c), at);
}

void scatter(Case& at) {
  const Call c(at, "MPI_Scatter");
  const bool leave_out = c.in_place && c.is_root();
  const Words all = c.is_root() ? c.own(c.count * c.size) : Words();
  Words mine = room(c.count);
  MPI_Scatter(all.data(), c.count, MPI_UINT64_T, leave_out ? MPI_IN_PLACE : mine.data(), c.count,
              MPI_UINT64_T, c.root, c.comm);
  if (!leave_out) check_words(mine, words_of(c.id, c.root, c.count, c.count * c.rank), at);
}

void scatterv(Case& at) {
  const Call c(at, "MPI_Scatterv");
  const Parts parts(c);
  const bool leave_out = c.in_place && c.is_root();
  const Words all = c.is_root() ? c.own(parts.all) : Words();
  Words mine = room(parts.mine);
  MPI_Scatterv(all.data(), parts.counts.data(), parts.at.data(), MPI_UINT64_T,
               leave_out ? MPI_IN_PLACE : mine.data(), parts.mine, MPI_UINT64_T, c.root, c.comm);
  if (!leave_out) check_words(mine, words_of(c.id, c.root, parts.mine, parts.my_place), at);
}

void alltoall(Case& at) {
  const Call c(at, "MPI_Alltoall");
  const Words mine = c.own(c.count * c.size);
  Words got = c.in_place ? mine : room(c.count * c.size);
  MPI_Alltoall(c.in_place ? MPI_IN_PLACE : mine.data(), c.count, MPI_UINT64_T, got.data(), c.count,
               MPI_UINT64_T, c.comm);
  Words expected;
  for (int i = 0; i < c.size; ++i) append(expected, words_of(c.id, i, c.count, c.count * c.rank));
  check_words(got, expected, at);
}

// Every rank sends rank i the same number of words, parts.counts[i].
void alltoallv(Case& at) {
  const Call c(at, "MPI_Alltoallv");
  const Parts parts(c);
  const std::vector<int> in_counts(static_cast<std::size_t>(c.size), parts.mine);
  std::vector<int> in_at;
  Words expected;
  for (int i = 0; i < c.size; ++i) {
    in_at.push_back(i * parts.mine);
    append(expected, words_of(c.id, i, parts.mine, parts.my_place));
  }
  const Words mine = c.own(parts.all);
  Words got = room(parts.mine * c.size);
  MPI_Alltoallv(mine.data(), parts.counts.data(), parts.at.data(), MPI_UINT64_T, got.data(),
                in_counts.data(), in_at.data(), MPI_UINT64_T, c.comm);
  check_words(got, expected, at);
}

constexpr std::array kCollectives = {
    barrier,        bcast,    reduce,   allreduce, reduce_scatter_block,
    reduce_scatter, gather,   gatherv,  scatter,   allgather,
    allgatherv,     scatterv, alltoall, alltoallv};

}  // namespace

Words words_of(Word call, int rank, int count, int first) {
  Words words(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    words[static_cast<std::size_t>(i)] = word_of(call, rank, first + i);
  return words;
}

Words sums_of(Word call, int first_rank, int end_rank, int count, int first) {
  Words sums(static_cast<std::size_t>(count), 0);
  for (int rank = first_rank; rank < end_rank; ++rank) {
    for (int i = 0; i < count; ++i)
      sums[static_cast<std::size_t>(i)] += word_of(call, rank, first + i);
  }
  return sums;
}

void append(Words& to, const Words& words) { to.insert(to.end(), words.begin(), words.end()); }

void check_words(const Words& got, const Words& expected, const Case& at) {
  if (got == expected) return;
  if (got.size() != expected.size()) fail(at, "the test itself expects another number of words");
  std::size_t i = 0;
  while (got[i] == expected[i]) ++i;
  fail(at, "word " + std::to_string(i) + " of " + std::to_string(got.size()) + " is " +
               std::to_string(got[i]) + ", not " + std::to_string(expected[i]));
}

int random_count(Random& random) {
  switch (random.below(16)) {
    case 0:
      return 0;
    case 1:
      return 256 + random.below(3) - 1;
    case 2:
      return random.below(3000);
    case 3:
      return random.one_in(8) ? random.below(40000) : 8192 + random.below(3) - 1;
    default:
      return 1 + random.below(60);
  }
}

void blocking_call(Case& at) {
  kCollectives[static_cast<std::size_t>(at.shared.below(static_cast<int>(kCollectives.size())))](
      at);
}

}  // namespace mpiactor::testing
