#include "tests/collectives/operations.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "actor/reduction/reduction.h"

namespace mpiactor::testing {

namespace {

// (1 + a) (1 + b) - 1, modulo 2^32: commutative and associative.
void circle(void* in, void* in_out, int* elements, MPI_Datatype*) {
  const auto* a = static_cast<const std::uint32_t*>(in);
  auto* b = static_cast<std::uint32_t*>(in_out);
  for (int i = 0; i < *elements; ++i) b[i] = a[i] + b[i] + a[i] * b[i];
}

// Sums of elements of which the first and the third word of four are members.
void add_first_and_third(void* in, void* in_out, int* elements, MPI_Datatype*) {
  const auto* a = static_cast<const std::uint32_t*>(in);
  auto* b = static_cast<std::uint32_t*>(in_out);
  for (int i = 0; i < 4 * *elements; i += 2) b[i] += a[i];
}

// Products of 2 x 2 matrices, modulo 2^32.
void multiply_matrices(void* in, void* in_out, int* elements, MPI_Datatype*) {
  const auto* a = static_cast<const std::uint32_t*>(in);
  auto* b = static_cast<std::uint32_t*>(in_out);
  for (int i = 0; i < *elements; ++i, a += 4, b += 4) {
    const std::uint32_t product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                                      a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    std::memcpy(b, product, sizeof product);
  }
}

template <typename Part>
void drop_signs_of_zeros(std::byte* results, std::size_t parts) {
  for (std::size_t i = 0; i < parts; ++i) {
    Part value;
    std::memcpy(&value, results + i * sizeof(Part), sizeof(Part));
    if (value == Part{0}) std::memset(results + i * sizeof(Part), 0, sizeof(Part));
  }
}

}  // namespace

OperationZoo::OperationZoo() {
  for (const TypeCase& type : type_cases()) {
    for (const OperationCase& op : operation_cases()) {
      if (Reduction::find(op.handle, type.handle))
        predefined_.push_back({op.name, op.handle, type});
    }
  }
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_UINT32_T, &four);
  MPI_Datatype first_and_third;
  MPI_Type_vector(2, 1, 2, MPI_UINT32_T, &first_and_third);
  MPI_Datatype with_gaps;
  MPI_Type_create_resized(first_and_third, 0, 16, &with_gaps);
  MPI_Type_free(&first_and_third);
  MPI_Datatype chosen;  // predefined, but without a name: not to be freed
  MPI_Type_create_f90_integer(9, &chosen);
  MPI_Datatype of_chosen;
  MPI_Type_contiguous(1, chosen, &of_chosen);
  made_types_ = {four, with_gaps, of_chosen};
  for (MPI_Datatype& type : made_types_) MPI_Type_commit(&type);
  const auto add = [&](const char* name, MPI_User_function* function, int commutative,
                       TypeCase type) {
    MPI_Op op;
    MPI_Op_create(function, commutative, &op);
    made_.push_back(op);
    user_defined_.push_back({name, op, type});
  };
  add("user's circle operation", circle, 1, {"MPI_UINT32_T", MPI_UINT32_T, Values::kInteger, 4});
  add("user's circle operation", circle, 1, {"chosen integer", of_chosen, Values::kInteger, 4});
  add("user's sums", add_first_and_third, 1, {"vector with gaps", with_gaps, Values::kInteger, 4});
  add("user's matrix product", multiply_matrices, 0, {"matrix", four, Values::kInteger, 4});
}

OperationZoo::~OperationZoo() {
  for (MPI_Op& op : made_) MPI_Op_free(&op);
  for (MPI_Datatype& type : made_types_) MPI_Type_free(&type);
}

const OperationOnType& OperationZoo::random_operation(Random& random) const {
  const auto& from = random.one_in(6) ? user_defined_ : predefined_;
  return from[static_cast<std::size_t>(random.below(static_cast<int>(from.size())))];
}

void keep_values(const TypeCase& type, void* results, int elements) {
  auto* bytes = static_cast<std::byte*>(results);
  const auto count = static_cast<std::size_t>(elements);
  const std::vector<std::byte> kept = significant(type, bytes, count);
  if (!kept.empty()) std::memcpy(bytes, kept.data(), kept.size());
  if (!is_complex(type.handle)) return;
  const std::size_t parts = kept.size() / type.bytes;
  if (type.values == Values::kFloat) drop_signs_of_zeros<float>(bytes, parts);
  if (type.values == Values::kDouble) drop_signs_of_zeros<double>(bytes, parts);
  if (type.values == Values::kLongDouble) drop_signs_of_zeros<long double>(bytes, parts);
}

void check_gaps(const TypeCase& type, const void* before, const void* after, int elements,
                const Case& at) {
  if (type.handle != MPI_DOUBLE_INT && type.handle != MPI_LONG_INT && type.handle != MPI_SHORT_INT)
    return;
  const auto* old_bytes = static_cast<const std::byte*>(before);
  const auto* new_bytes = static_cast<const std::byte*>(after);
  const auto count = static_cast<std::size_t>(elements);
  const std::vector<std::byte> ones(count * extent_bytes(type.handle), std::byte{1});
  const std::vector<std::byte> covered = significant(type, ones.data(), count);
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (covered[i] == std::byte{0} && old_bytes[i] != new_bytes[i])
      fail(at, "a gap was written at byte " + std::to_string(i) + " of the result");
  }
}

}  // namespace mpiactor::testing
