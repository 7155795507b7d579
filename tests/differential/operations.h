// Reductions whose result every rank can compute: predefined operations, and user operations,
// commutative and not.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_OPERATIONS_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_OPERATIONS_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/differential/buffer.h"
#include "tests/differential/layout.h"
#include "tests/differential/step.h"

namespace differential {

struct Operation {
  std::string name;
  MPI_Op op = MPI_OP_NULL;
  bool is_owned = false;
  Layout layout;  // of one element
  // into = into op next, as packed elements: `into` comes from the lower rank.
  void (*combine)(std::byte* into, const std::byte* next) = nullptr;
  // The element's bytes of some random bits.
  void (*make)(std::byte* element, std::uint64_t bits) = nullptr;
};

// The same on all ranks of the step, but for how a user operation is made. `may_have_gaps`: also on
// types with gaps.
Operation draw_operation(Step& step, bool may_have_gaps);

// Packed elements of one rank.
Bytes operands_of(const Operation& operation, std::uint64_t key, int rank, std::int64_t elements);
// `first` to `last` of all ranks below `ranks`, combined in their order.
Bytes result_of(const Operation& operation, std::uint64_t key, int ranks, std::int64_t first,
                std::int64_t elements);

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_OPERATIONS_H_
