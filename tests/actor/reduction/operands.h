// The predefined types and operations with random operands for them.
#ifndef MPIACTOR_TESTS_ACTOR_REDUCTION_OPERANDS_H_
#define MPIACTOR_TESTS_ACTOR_REDUCTION_OPERANDS_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mpiactor::testing {

// What values a type holds.
enum class Values { kInteger, kTruth, kFloat, kDouble, kLongDouble, kPair, kOpaque };

struct TypeCase {
  const char* name;
  MPI_Datatype handle;
  Values values;
  std::size_t bytes;  // of the value that is repeated in an element
};

// Every predefined type of the library.
std::vector<TypeCase> type_cases();

struct OperationCase {
  const char* name;
  MPI_Op handle;
};
std::vector<OperationCase> operation_cases();  // the twelve that compute

// The seed of TEST_SEED, or of the clock; printed at the first call.
std::uint64_t seed();

// `elements` elements at `to`; among real numbers are zeros of both signs, infinities, one NaN and
// very small numbers. Values repeat, so that comparisons find equal ones. Gaps get random bytes.
void fill(const TypeCase& type, std::byte* to, std::size_t elements, std::mt19937_64& random);

// As fill(), with real numbers whose sums and products are exact in every order for a few operands.
void fill_exact(const TypeCase& type, std::byte* to, std::size_t elements, std::mt19937_64& random);

// Whether an element is two real numbers of type.values.
bool is_complex(MPI_Datatype type);

// The bytes of an array that carry values: padding of long double and gaps of pairs are zeroed.
// A complex product may add two different NaNs, and which one results is nobody's promise: those of
// complex types become one.
std::vector<std::byte> significant(const TypeCase& type, const std::byte* from,
                                   std::size_t elements);

std::size_t extent_bytes(MPI_Datatype type);

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_ACTOR_REDUCTION_OPERANDS_H_
