// Reductions and alltoallv where some ranks come long after the others, whether they are
// their nodes' lowest members or not. Every call is made twice, with the same data: all together,
// and with late ranks. Reals differ so much in size that another order of combining would give
// other bits, which must be those of the first call, on all ranks. Sums are also compared with the
// MPI library's.
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;
using Reals = std::vector<double>;

// Elements: those of a request's slot, of one round of messages, of shares, of several blocks.
constexpr std::array<int, 8> kElements = {1, 5, 150, 1'500, 2'500, 9'000, 20'000, 90'000};

struct Late {
  std::vector<bool> ranks;
  std::string text;
};

// One rank, two, or all of a kind that a layout may have on one node.
Late draw_late(Case& at) {
  Late late{std::vector<bool>(static_cast<std::size_t>(at.group.size)), "late:"};
  const int number = 1 + at.shared.below(2);
  for (int i = 0; i < number; ++i) {
    const int rank = at.shared.below(at.group.size);
    late.ranks[static_cast<std::size_t>(rank)] = true;
    late.text += " " + std::to_string(rank);
  }
  return late;
}

void come(const Case& at, const Late& late, int delay_us) {
  PMPI_Barrier(at.group.comm);
  if (late.ranks[static_cast<std::size_t>(at.group.rank)])
    usleep(static_cast<useconds_t>(delay_us));
}

Reals draw_reals(Random& random, int count) {
  Reals values;
  for (int i = 0; i < count; ++i) {
    values.push_back(std::ldexp(static_cast<double>(random.next() % 1'000'003), random.below(40)));
  }
  return values;
}

bool same_bits(const Reals& a, const Reals& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_near(const Case& at, const Reals& got, const Reals& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - expected[i]) > 1e-12 * std::abs(expected[i])) {
      fail(at, "element " + std::to_string(i) + " is far from the MPI library's sum");
    }
  }
}

// Calls call(to) twice.
template <typename Call>
Reals call_twice(Case& at, const Late& late, std::size_t count, Call call) {
  Reals together(count);
  Reals apart(count);
  const int delay_us = 500 + at.shared.below(2'500);
  come(at, late, 0);
  call(together.data());
  come(at, late, delay_us);
  call(apart.data());
  if (!same_bits(together, apart)) fail(at, "other bits where ranks come late");
  return apart;
}

void allreduce(Case& at, const Late& late, int count) {
  const Reals mine = draw_reals(at.own, count);
  const Reals got = call_twice(at, late, mine.size(), [&](double* to) {
    MPI_Allreduce(mine.data(), to, count, MPI_DOUBLE, MPI_SUM, at.group.comm);
  });
  Reals expected(mine.size());
  PMPI_Allreduce(mine.data(), expected.data(), count, MPI_DOUBLE, MPI_SUM, at.group.comm);
  expect_near(at, got, expected);
  Reals first = got;
  PMPI_Bcast(first.data(), count, MPI_DOUBLE, 0, at.group.comm);
  if (!same_bits(first, got)) fail(at, "not the bits of rank 0");
}

// The result is the root's alone; nobody else writes anything.
void reduce(Case& at, const Late& late, int count) {
  const int root = at.shared.below(at.group.size);
  const Reals mine = draw_reals(at.own, count);
  const Reals got = call_twice(at, late, mine.size(), [&](double* to) {
    MPI_Reduce(mine.data(), to, count, MPI_DOUBLE, MPI_SUM, root, at.group.comm);
  });
  Reals expected(mine.size());
  PMPI_Reduce(mine.data(), expected.data(), count, MPI_DOUBLE, MPI_SUM, root, at.group.comm);
  expect_near(at, got, expected);
}

// Shares of any size, also of none.
void reduce_scatter(Case& at, const Late& late, int count) {
  std::vector<int> counts;
  for (int r = 0; r < at.group.size; ++r) {
    counts.push_back(at.shared.one_in(4) ? 0 : at.shared.below(count) + 1);
  }
  counts[static_cast<std::size_t>(at.shared.below(at.group.size))] = count;
  const Reals mine = draw_reals(at.own, std::accumulate(counts.begin(), counts.end(), 0));
  const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(at.group.rank)]);
  const Reals got = call_twice(at, late, own, [&](double* to) {
    MPI_Reduce_scatter(mine.data(), to, counts.data(), MPI_DOUBLE, MPI_SUM, at.group.comm);
  });
  Reals expected(own);
  PMPI_Reduce_scatter(mine.data(), expected.data(), counts.data(), MPI_DOUBLE, MPI_SUM,
                      at.group.comm);
  expect_near(at, got, expected);
}

// The matrix of sizes is drawn alike by all; a rank uses its row and its column of it.
void alltoallv(Case& at, const Late& late, int count) {
  const int most = std::min(count, 2'000);
  const int size = at.group.size;
  std::vector<int> sent;
  std::vector<int> received;
  for (int from = 0; from < size; ++from) {
    for (int to = 0; to < size; ++to) {
      const int elements = at.shared.one_in(3) ? 0 : at.shared.below(most + 1);
      if (from == at.group.rank) sent.push_back(elements);
      if (to == at.group.rank) received.push_back(elements);
    }
  }
  std::vector<int> sent_at(sent.size());
  std::vector<int> received_at(received.size());
  std::exclusive_scan(sent.begin(), sent.end(), sent_at.begin(), 0);
  std::exclusive_scan(received.begin(), received.end(), received_at.begin(), 0);
  const Reals mine = draw_reals(at.own, sent_at.back() + sent.back());
  const auto exchange = [&](const auto& call, double* to) {
    call(mine.data(), sent.data(), sent_at.data(), MPI_DOUBLE, to, received.data(),
         received_at.data(), MPI_DOUBLE, at.group.comm);
  };
  Reals expected(static_cast<std::size_t>(received_at.back() + received.back()));
  const Reals got =
      call_twice(at, late, expected.size(), [&](double* to) { exchange(MPI_Alltoallv, to); });
  exchange(PMPI_Alltoallv, expected.data());
  if (!same_bits(got, expected)) fail(at, "wrong data");
}

void run(const Group& group, std::uint64_t seed, std::uint64_t number) {
  Case at(group, seed, number);
  const int count = kElements[static_cast<std::size_t>(at.shared.below(kElements.size()))];
  const Late late = draw_late(at);
  const std::string rest = " of " + std::to_string(count) + " reals, " + late.text;
  switch (at.shared.below(4)) {
    case 0:
      at.text = "MPI_Allreduce" + rest;
      return allreduce(at, late, count);
    case 1:
      at.text = "MPI_Reduce_scatter" + rest;
      return reduce_scatter(at, late, std::min(count, 20'000));
    case 2:
      at.text = "MPI_Reduce" + rest;
      return reduce(at, late, count);
    default:
      at.text = "MPI_Alltoallv" + rest;
      return alltoallv(at, late, count);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  job.run_cases([&](const Group& group, std::uint64_t number) { run(group, job.seed(), number); });
  return 0;
}
