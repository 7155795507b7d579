// Reductions of real numbers whose sums depend on the order: within the bound that any order
// allows, the same on all ranks, and the same bits again however ranks arrive (unless
// MPIACTOR_REDUCE_ORDER allows others).
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"
#include "tests/collectives/types.h"

namespace {

using namespace mpiactor::testing;

constexpr int kRepetitions = 4;

// Numbers of very different magnitudes and both signs.
template <typename T>
std::vector<T> draw_numbers(Random& random, std::size_t count) {
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    const auto mantissa = static_cast<double>(random.next() >> 11) * 0x1p-53 - 0.5;
    number = static_cast<T>(std::ldexp(mantissa, random.below(40) - 20));
  }
  return numbers;
}

// A sum and what rounding may do to it, from the operands of all ranks.
struct Bound {
  long double sum = 0;
  long double magnitude = 0;
};

template <typename T>
std::vector<Bound> bounds(const std::vector<T>& mine, MPI_Datatype type, const Group& group) {
  const int count = static_cast<int>(mine.size());
  std::vector<T> all(mine.size() * static_cast<std::size_t>(group.size));
  PMPI_Allgather(mine.data(), count, type, all.data(), count, type, group.comm);
  std::vector<Bound> result(mine.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    result[i % mine.size()].sum += all[i];
    result[i % mine.size()].magnitude += std::abs(all[i]);
  }
  return result;
}

template <typename T>
void check_bounds(const std::vector<T>& got, const std::vector<Bound>& allowed, std::size_t first,
                  const Case& at) {
  // The last factor covers the rounding of the reference itself.
  const long double error =
      static_cast<long double>(at.group.size) * std::numeric_limits<T>::epsilon() * 1.01L;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Bound& bound = allowed[first + i];
    if (std::abs(got[i] - bound.sum) <= error * bound.magnitude) continue;
    fail(at, "element " + std::to_string(i) + " is " + std::to_string(got[i]) +
                 ", farther from the sum than rounding allows");
  }
}

template <typename T>
void check_same_bits(const std::vector<T>& got, const std::vector<T>& expected, const char* what,
                     const Case& at) {
  if (got.empty() || std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0) return;
  std::size_t i = 0;
  while (std::memcmp(&got[i], &expected[i], sizeof(T)) == 0) ++i;
  fail(at, "element " + std::to_string(i) + " differs " + what);
}

// Each collective: operands in, this rank's part of the result out.
enum class Kind { kAllreduce, kReduce, kReduceScatter, kIallreduce, kIreduce };
constexpr int kKinds = 5;

bool is_allreduce(Kind kind) { return kind == Kind::kAllreduce || kind == Kind::kIallreduce; }
bool is_reduce(Kind kind) { return kind == Kind::kReduce || kind == Kind::kIreduce; }

bool order_is_fixed() {
  const char* const order = std::getenv("MPIACTOR_REDUCE_ORDER");
  return order == nullptr || std::strcmp(order, "arrival") != 0;
}

template <typename T>
std::vector<T> sum(Kind kind, const std::vector<T>& mine, int block, int root, MPI_Datatype type,
                   const Group& group) {
  const bool has_all = is_allreduce(kind) || (is_reduce(kind) && group.rank == root);
  std::vector<T> result(has_all                        ? mine.size()
                        : kind == Kind::kReduceScatter ? static_cast<std::size_t>(block)
                                                       : 0);
  const int count = static_cast<int>(mine.size());
  if (kind == Kind::kAllreduce) {
    MPI_Allreduce(mine.data(), result.data(), count, type, MPI_SUM, group.comm);
  } else if (kind == Kind::kReduce) {
    MPI_Reduce(mine.data(), result.data(), count, type, MPI_SUM, root, group.comm);
  } else if (kind == Kind::kIallreduce) {
    MPI_Request request;
    MPI_Iallreduce(mine.data(), result.data(), count, type, MPI_SUM, group.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (kind == Kind::kIreduce) {
    MPI_Request request;
    MPI_Ireduce(mine.data(), result.data(), count, type, MPI_SUM, root, group.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Reduce_scatter_block(mine.data(), result.data(), block, type, MPI_SUM, group.comm);
  }
  return result;
}

template <typename T>
void run_case(Case& at, Kind kind, MPI_Datatype type, const char* type_name) {
  const Group& group = at.group;
  const int block = random_units(at.shared, sizeof(T), group.size, std::size_t{1} << 20);
  const int root = at.shared.below(group.size);
  static const char* const kNames[] = {"MPI_Allreduce", "MPI_Reduce", "MPI_Reduce_scatter_block",
                                       "MPI_Iallreduce", "MPI_Ireduce"};
  at.text = std::string(kNames[static_cast<int>(kind)]) + ", MPI_SUM on " + type_name + ", " +
            std::to_string(block * group.size) + " elements, root " + std::to_string(root);
  const std::vector<T> mine = draw_numbers<T>(
      at.own, static_cast<std::size_t>(block) * static_cast<std::size_t>(group.size));
  const std::vector<Bound> allowed = bounds(mine, type, group);
  const std::size_t first = kind == Kind::kReduceScatter ? static_cast<std::size_t>(block) *
                                                               static_cast<std::size_t>(group.rank)
                                                         : 0;
  std::vector<T> result;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    if (at.own.one_in(3)) usleep(static_cast<useconds_t>(at.own.below(2000)));
    std::vector<T> again = sum(kind, mine, block, root, type, group);
    if (repetition == 0) {
      check_bounds(again, allowed, first, at);
      result = std::move(again);
    } else if (!order_is_fixed()) {
      check_bounds(again, allowed, first, at);
      result = std::move(again);
    } else {
      check_same_bits(again, result, "when repeated", at);
    }
  }
  if (!is_allreduce(kind)) return;
  std::vector<T> of_first = result;
  PMPI_Bcast(of_first.data(), static_cast<int>(of_first.size()), type, 0, group.comm);
  check_same_bits(result, of_first, "from rank 0's", at);
}

// A communicator's first calls may be left to the library, whose order is another one.
void warm_up(const Group& group) {
  for (int i = 0; i < 3; ++i) {
    int one = 1;
    int all = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, group.comm);
    if (all != group.size) fail("a sum of ones over " + group.name + " is " + std::to_string(all));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  job.run_cases([&](const Group& group, std::uint64_t number) {
    warm_up(group);
    Case at(group, job.seed(), number);
    const auto kind = static_cast<Kind>(number % kKinds);
    if (number / kKinds % 2 == 0) {
      run_case<double>(at, kind, MPI_DOUBLE, "MPI_DOUBLE");
    } else {
      run_case<float>(at, kind, MPI_FLOAT, "MPI_FLOAT");
    }
  });
  return 0;
}
