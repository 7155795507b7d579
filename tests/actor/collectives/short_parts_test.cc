// Collectives of some words on one node, around the size up to which what a rank gives lies beside
// its signature (competition::SignedPart). Each call is followed by the next at once, so that a
// part that reaches beyond its place meets what another rank has written, or waits for.
#include <mpi.h>

#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

using Numbers = std::vector<int>;
using mpiactor::testing::hybrid_calls;

int me = 0;
int ranks = 1;

// What `from` gives, and to whom where that matters.
int value(int from, int to, int index, int round) {
  return 100'000 * from + 10'000 * to + 100 * round + index;
}
Numbers row(int from, int to, int count, int round) {
  Numbers numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(value(from, to, i, round));
  return numbers;
}
void append(Numbers& all, const Numbers& more) { all.insert(all.end(), more.begin(), more.end()); }

void allreduce(int count, int round, const std::string& context) {
  Numbers sum(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    for (int from = 0; from < ranks; ++from)
      sum[static_cast<std::size_t>(i)] += value(from, 0, i, round);
  }
  Numbers got = row(me, 0, count, round);
  MPI_Allreduce(MPI_IN_PLACE, got.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(got == sum, "an allreduce of " + context);
}

void allgather(int count, int round, const std::string& context) {
  const Numbers mine = row(me, 0, count, round);
  Numbers expected;
  for (int from = 0; from < ranks; ++from) append(expected, row(from, 0, count, round));
  Numbers got(expected.size(), -1);
  MPI_Allgather(mine.data(), count, MPI_INT, got.data(), count, MPI_INT, MPI_COMM_WORLD);
  CHECK(got == expected, "an allgather of " + context);
}

// Rank r gives r elements less.
void allgatherv(int count, int round, const std::string& context) {
  Numbers counts;
  Numbers places;
  Numbers expected;
  for (int from = 0; from < ranks; ++from) {
    counts.push_back(count - from);
    places.push_back(static_cast<int>(expected.size()));
    append(expected, row(from, 0, counts.back(), round));
  }
  const Numbers mine = row(me, 0, count - me, round);
  Numbers got(expected.size(), -1);
  MPI_Allgatherv(mine.data(), count - me, MPI_INT, got.data(), counts.data(), places.data(),
                 MPI_INT, MPI_COMM_WORLD);
  CHECK(got == expected, "an allgatherv of " + context);
}

// `all` elements of each rank to all together, as nearly as equal blocks allow.
void alltoall(int all, int round, const std::string& context) {
  const int count = (all + ranks - 1) / ranks;
  Numbers given;
  Numbers expected;
  for (int other = 0; other < ranks; ++other) {
    append(given, row(me, other, count, round));
    append(expected, row(other, me, count, round));
  }
  Numbers got(expected.size(), -1);
  MPI_Alltoall(given.data(), count, MPI_INT, got.data(), count, MPI_INT, MPI_COMM_WORLD);
  CHECK(got == expected, "an alltoall of " + context);
}

void reduce_scatter(int all, int round, const std::string& context) {
  Numbers counts(static_cast<std::size_t>(ranks), all / ranks);
  counts.back() += all % ranks;
  const int first = me * (all / ranks);
  const int count = counts[static_cast<std::size_t>(me)];
  Numbers expected(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    for (int from = 0; from < ranks; ++from)
      expected[static_cast<std::size_t>(i)] += value(from, 0, first + i, round);
  }
  const Numbers mine = row(me, 0, all, round);
  Numbers got(expected.size(), -1);
  MPI_Reduce_scatter(mine.data(), got.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(got == expected, "a reduce-scatter of " + context);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // A place for each of the queue's 32 slots, more than once.
  constexpr int kRounds = 80;
  const auto before = hybrid_calls();
  int calls = 0;
  for (int count = 4; count <= 36; count += count < 24 ? 4 : 1) {
    const std::string context = std::to_string(count) + " elements";
    for (int round = 0; round < kRounds; ++round) {
      for (const auto collective : {allreduce, allgather, allgatherv, alltoall, reduce_scatter}) {
        collective(count, round, context);
        ++calls;
      }
    }
  }
  CHECK_EQUAL(hybrid_calls() - before, calls, "calls that were handled");
  MPI_Finalize();
  return 0;
}
