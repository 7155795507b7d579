// Operations to reduce with: predefined ones on all predefined types, and user-defined ones.
#ifndef MPIACTOR_TESTS_COLLECTIVES_OPERATIONS_H_
#define MPIACTOR_TESTS_COLLECTIVES_OPERATIONS_H_

#include <mpi.h>

#include <string>
#include <vector>

#include "tests/actor/reduction/operands.h"
#include "tests/collectives/harness.h"

namespace mpiactor::testing {

struct OperationOnType {
  std::string name;
  MPI_Op op = MPI_OP_NULL;
  TypeCase type{};
};

// Every pair that MPI defines, and user-defined operations: commutative ones on a predefined type
// and on types with and without gaps, and a non-commutative one (products of matrices). All are
// associative and exact on the operands that fill_exact() gives. Made once; freed before MPI ends.
class OperationZoo {
 public:
  OperationZoo();
  ~OperationZoo();
  OperationZoo(const OperationZoo&) = delete;
  OperationZoo& operator=(const OperationZoo&) = delete;

  const OperationOnType& random_operation(Random& random) const;

 private:
  std::vector<OperationOnType> predefined_;
  std::vector<OperationOnType> user_defined_;
  std::vector<MPI_Op> made_;
  std::vector<MPI_Datatype> made_types_;
};

// Zeroes what is no value in `elements` results: padding and gaps, and the sign of a complex
// number's zeros, which depends on the order of multiplications.
void keep_values(const TypeCase& type, void* results, int elements);

// Fails the case where gaps between the members of a pair type were written.
void check_gaps(const TypeCase& type, const void* before, const void* after, int elements,
                const Case& at);

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_OPERATIONS_H_
