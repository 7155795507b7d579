// How the program has floating-point operations done. The runtime's own must not end a program that
// has traps on, nor leave flags. Reductions in the background round as the program does at that
// time.
#include <dlfcn.h>

#include <cfenv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kTraps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

double sum_of(const Group& group, double first, double others, bool in_background) {
  const double mine = group.rank == 0 ? first : others;
  double sum = 0;
  if (in_background) {
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, group.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, group.comm);
  }
  return sum;
}

void check_reductions_leave_no_flags(const Group& group) {
  std::feclearexcept(FE_ALL_EXCEPT);
  for (int time = 0; time < 4; ++time) {
    CHECK_EQUAL(sum_of(group, 1, 1, time % 2 == 0), group.size, "a sum");
    int mine = 1, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, group.comm);
    CHECK_EQUAL(sum, group.size, "a sum of integers");
  }
  CHECK_EQUAL(std::fetestexcept(kTraps), 0, "flags");
}

void check_rounding(const Group& group) {
  for (const int direction : {FE_UPWARD, FE_TONEAREST, FE_UPWARD}) {
    std::fesetround(direction);
    for (const bool in_background : {true, false}) {
      const double sum = sum_of(group, 1, 0x1p-80, in_background);
      CHECK_EQUAL(sum > 1, direction == FE_UPWARD, "rounding");
    }
  }
  std::fesetround(FE_TONEAREST);
}

void check_overflow(const Group& group) {
  const double largest = std::numeric_limits<double>::max();
  for (const bool in_background : {true, false}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    CHECK(std::isinf(sum_of(group, largest, largest, in_background)), "an overflow");
    // The flag is up on a rank that has added.
    const int mine = std::fetestexcept(FE_OVERFLOW) != 0 ? 1 : 0;
    int any = 0;
    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, group.comm);
    CHECK_EQUAL(any, group.size > 1 ? 1 : 0, in_background ? "background" : "blocking");
  }
}

void pass_in_background(const Group& group) {
  MPI_Request request;
  MPI_Ibarrier(group.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// A stack that calls have used while traps were on, and flags that the program has raised since.
void use_stack_and_raise_flag(const Group& group) {
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(kTraps);
  pass_in_background(group);
  fedisableexcept(kTraps);
  volatile long double large = std::numeric_limits<long double>::max();
  large = large * 2;
  CHECK(std::fetestexcept(FE_OVERFLOW) != 0, "a flag");
}

// Of sizes at which the predicted times of two plans hardly differ on a torus of 2 x 2 x 2 nodes.
void check_choices(const Group& group) {
  std::fesetround(group.rank % 2 == 0 ? FE_UPWARD : FE_DOWNWARD);
  for (const std::size_t count : {49152 / sizeof(double), 73728 / sizeof(double)}) {
    const std::vector<double> ones(count, 1);
    std::vector<double> sums(count);
    const int elements = static_cast<int>(count);
    MPI_Allreduce(ones.data(), sums.data(), elements, MPI_DOUBLE, MPI_SUM, group.comm);
    CHECK(sums == std::vector<double>(count, group.size), "sums for all");
    MPI_Reduce(ones.data(), sums.data(), elements, MPI_DOUBLE, MPI_SUM, 0, group.comm);
    CHECK(sums == std::vector<double>(count, group.size), "sums for the root");
  }
  std::fesetround(FE_TONEAREST);
}

// MPI libraries load hwloc, and that libxml2, which divides 0 by 0 when it begins: before traps are
// on, then.
void begin_libxml2() {
  void* const library = dlopen("libxml2.so.2", RTLD_NOW);
  if (!library) return;
  if (void* const begin = dlsym(library, "xmlInitParser")) reinterpret_cast<void (*)()>(begin)();
}

}  // namespace

int main(int argc, char** argv) {
  begin_libxml2();
  feenableexcept(kTraps);
  const Job job(argc, argv);
  const Group& group = job.world();
  check_reductions_leave_no_flags(group);
  check_rounding(group);
  check_choices(group);
  fedisableexcept(kTraps);
  check_overflow(group);
  use_stack_and_raise_flag(group);
  pass_in_background(group);
  use_stack_and_raise_flag(group);  // and then the stack is given back, in MPI_Finalize
  return 0;
}
