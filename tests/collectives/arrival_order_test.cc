// MPIACTOR_REDUCE_ORDER: with `arrival`, long sums of reals are combined in the order in which
// ranks come; with `fixed` always in the order of the ranks. Ranks come apart, in random orders, in
// sums whose bits tell the order.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;
using Numbers = std::vector<double>;

constexpr int kElements = 40'000;  // more than a block
constexpr int kTrials = 12;
constexpr useconds_t kApartUs = 15'000;

// Equal on all ranks, of very different magnitudes.
std::vector<Numbers> draw_operands(Random& random, int ranks) {
  std::vector<Numbers> operands(static_cast<std::size_t>(ranks), Numbers(kElements));
  for (Numbers& numbers : operands) {
    for (double& number : numbers) {
      number = std::ldexp(static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5,
                          random.below(40) - 20);
    }
  }
  return operands;
}

Numbers fold(const std::vector<Numbers>& operands, const std::vector<int>& order) {
  Numbers sum = operands[static_cast<std::size_t>(order.front())];
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Numbers& next = operands[static_cast<std::size_t>(order[i])];
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += next[e];
  }
  return sum;
}

// A rank's turn is its place in `order`.
void come_in_order(const Group& group, const std::vector<int>& order) {
  PMPI_Barrier(group.comm);
  const auto turn = std::find(order.begin(), order.end(), group.rank) - order.begin();
  usleep(static_cast<useconds_t>(turn) * kApartUs);
}

// Of a reduce. On one node the root combines its own operand last, where each rank is a node first;
// sums of two do not care which comes first.
std::vector<int> with_root(std::vector<int> others, int root, bool last) {
  std::erase(others, root);
  others.insert(last ? others.end() : others.begin(), root);
  return others;
}

bool are_same_bits(const Numbers& a, const Numbers& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

struct Test {
  const Job& job;
  bool by_arrival;
  bool one_node;

  // Whether the result has the bits of the order in which ranks should have come. Fails where the
  // order is fixed and has changed.
  bool try_once(Case& at, bool is_reduce) const {
    const Group& group = at.group;
    const std::vector<Numbers> operands = draw_operands(at.shared, group.size);
    std::vector<int> arrivals = at.shared.permutation(group.size);
    const int root = is_reduce ? at.shared.below(group.size) : -1;
    const Numbers& mine = operands[static_cast<std::size_t>(group.rank)];
    Numbers sum(kElements);
    come_in_order(group, arrivals);
    if (is_reduce) {
      MPI_Reduce(mine.data(), sum.data(), kElements, MPI_DOUBLE, MPI_SUM, root, group.comm);
    } else {
      MPI_Allreduce(mine.data(), sum.data(), kElements, MPI_DOUBLE, MPI_SUM, group.comm);
    }
    std::vector<int> ranks(arrivals.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    if (is_reduce && !one_node) ranks = with_root(ranks, root, false);
    if (is_reduce) arrivals = with_root(arrivals, root, one_node);
    const Numbers fixed_sum = fold(operands, ranks);
    const Numbers arrival_sum = fold(operands, arrivals);
    // Only orders that can be told apart count.
    if (by_arrival && are_same_bits(fixed_sum, arrival_sum)) return false;
    const Numbers& expected = by_arrival ? arrival_sum : fixed_sum;
    int same = (is_reduce && group.rank != root) || are_same_bits(sum, expected);
    PMPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, group.comm);
    if (!same && !by_arrival) fail(at, "not the sum in the order of the ranks");
    return same != 0;
  }

  // On a busy machine ranks do not always come as planned.
  void run(bool is_reduce) const {
    int seen = 0;
    for (int trial = 0; trial < kTrials && seen < 2; ++trial) {
      Case at(job.world(), job.seed(), static_cast<std::uint64_t>(trial));
      at.text = is_reduce ? "MPI_Reduce" : "MPI_Allreduce";
      seen += try_once(at, is_reduce);
    }
    if (seen == 0)
      fail(std::string(is_reduce ? "MPI_Reduce" : "MPI_Allreduce") +
           ": no sum was combined in the order of arrival");
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const char* const order = std::getenv("MPIACTOR_REDUCE_ORDER");
  const char* const nodes = std::getenv("MPIACTOR_NODES");
  const Test test{job, order && std::strcmp(order, "arrival") == 0, !nodes || *nodes == '\0'};
  int one = 1;
  int all = 0;
  for (int i = 0; i < 3; ++i) {  // the first calls of a communicator are the library's
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  // Between nodes an allreduce has its plan's order.
  if (test.one_node) test.run(false);
  test.run(true);
  return 0;
}
