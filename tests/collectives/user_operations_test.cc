// Operations of the program's. They may be other ones on each rank, and some want to see whole
// vectors, which the MPI library gives them.
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

// The operand's (value, place) with the greater value, of pairs in a vector of plain numbers.
void greatest_pairs(void* from, void* to, int* numbers, MPI_Datatype*) {
  const auto* const a = static_cast<const double*>(from);
  auto* const b = static_cast<double*>(to);
  for (int i = 0; i + 1 < *numbers; i += 2) {
    if (a[i] <= b[i]) continue;
    b[i] = a[i];
    b[i + 1] = a[i + 1];
  }
}

void check_greatest(const Group& group, const std::vector<double>& result, int first, int pairs) {
  for (int i = 0; i < pairs; ++i) {
    const int place = (first + i) % group.size;
    const auto at = static_cast<std::size_t>(2 * i);
    CHECK_EQUAL(result[at], 100.0 + place, "the greatest value");
    CHECK_EQUAL(result[at + 1], 1.0 * place, "its place");
  }
}

void of_whole_vectors(const Group& group, int pairs) {
  MPI_Op op;
  MPI_Op_create(greatest_pairs, 1, &op);
  std::vector<double> given;
  for (int i = 0; i < pairs * group.size; ++i) {
    given.push_back(i % group.size == group.rank ? 100.0 + group.rank : 0.0);
    given.push_back(group.rank);
  }
  const int all = static_cast<int>(given.size());
  std::vector<double> result(given.size());
  MPI_Allreduce(given.data(), result.data(), all, MPI_DOUBLE, op, group.comm);
  check_greatest(group, result, 0, all / 2);
  MPI_Reduce(given.data(), result.data(), all, MPI_DOUBLE, op, 0, group.comm);
  if (group.rank == 0) check_greatest(group, result, 0, all / 2);
  MPI_Reduce_scatter_block(given.data(), result.data(), 2 * pairs, MPI_DOUBLE, op, group.comm);
  check_greatest(group, result, pairs * group.rank, pairs);
  MPI_Op_free(&op);
}

void add(void* from, void* to, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(to)[i] += static_cast<const int*>(from)[i];
}

// One rank says of its own that its operands may not be exchanged.
void of_each_rank(const Group& group) {
  MPI_Op op;
  MPI_Op_create(add, group.rank != 0, &op);
  const std::vector<int> given(20, group.rank);
  std::vector<int> sums(given.size());
  MPI_Allreduce(given.data(), sums.data(), static_cast<int>(given.size()), MPI_INT, op, group.comm);
  for (const int sum : sums) CHECK_EQUAL(sum, group.size * (group.size - 1) / 2, "a sum");
  MPI_Op_free(&op);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const Group& group = job.world();
  for (int round = 0; round < 4; ++round) of_each_rank(group);
  // Open MPI by itself cuts longer vectors anywhere.
  for (const int pairs : {1, 33, 70}) of_whole_vectors(group, pairs);
#ifndef OPEN_MPI
  for (const int pairs : {301, 5001}) of_whole_vectors(group, pairs);
#endif
  return 0;
}
