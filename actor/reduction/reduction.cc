#include "actor/reduction/reduction.h"

#include <algorithm>
#include <cstring>

#include "actor/abi/error_handlers.h"
#include "actor/abi/handles.h"
#include "actor/reduction/equal_types.h"
#include "inter/kept_bytes.h"

namespace mpiactor {

namespace {

using reduction::Element;
using reduction::Operation;
using reduction::PredefinedType;

// Elements of a user-defined operation that are worked on at a time where the library's two-operand
// form needs a copy: they stay in the cache between the copy and the operation.
constexpr std::size_t kBlockBytes = 16 * 1024;

// Asked at every call: a handle may have been freed and given to another operation.
bool is_commutative(MPI_Op op) {
  int commutative = 0;
  return PMPI_Op_commutative(op, &commutative) == MPI_SUCCESS && commutative != 0;
}

// Whether predefined operations give the same bits in every order. Not so extremes of real numbers:
// zeros have a sign, and NaNs are unordered.
bool is_exact(Element element) {
  return element <= Element::kUint64 || element == Element::kLongInt ||
         element == Element::kShortInt || element == Element::kTwoInt;
}

}  // namespace

std::optional<Reduction> Reduction::find(MPI_Op op, MPI_Datatype type) {
  const PredefinedType* found = reduction::find_predefined_type(type);
  if (found == nullptr) return std::nullopt;
  const std::size_t number = operation_number(op);
  if (number < reduction::kOperations) {
    const auto operation = static_cast<Operation>(number);
    if (!found->allows(operation)) return std::nullopt;
    const auto& row = reduction::best_kernels().combine[static_cast<unsigned>(found->element)];
    return Reduction(found, type, row[number], op, !is_exact(found->element));
  }
  // Of a type map with two parts find_derived() would not find the predefined type.
  if (found->is_pair() || !looks_user_defined(op) || !is_commutative(op)) return std::nullopt;
  return Reduction(found, type, nullptr, op, true);
}

bool Reduction::may_be_derived(MPI_Op op, MPI_Datatype type) {
  return looks_user_defined(op) && reduction::find_predefined_type(type) == nullptr;
}

std::optional<Reduction> Reduction::find_derived(MPI_Op op, MPI_Datatype type) {
  if (!is_commutative(op)) return std::nullopt;
  const PredefinedType* const found = reduction::find_equal_type(type);
  if (found == nullptr) return std::nullopt;
  return Reduction(found, type, nullptr, op, true);
}

void Reduction::copy(const std::byte* from, std::byte* to, std::uint64_t elements) const {
  if (type_->copy != nullptr) {
    type_->copy(from, to, elements);
  } else if (elements > 0) {
    std::memcpy(to, from, elements * type_->extent_bytes);
  }
}

// The library's form is b = a op b. Where the result goes elsewhere, `b` is copied there first;
// where that is `a`, which is still needed, the result takes a detour. The program's function may
// write to both, so that it gets a copy of `a`, which others read or which the program sends.
void Reduction::combine_by_library(const std::byte* a, const std::byte* b, std::byte* out,
                                   std::uint64_t elements) const {
  const std::uint64_t bytes = element_bytes();
  const std::uint64_t most = kBlockBytes / bytes;
  inter::KeptBytes operand(std::min(most, elements) * bytes);
  inter::KeptBytes detour(out == a ? operand.size() : 0);
  for (std::uint64_t done = 0; done < elements;) {
    const std::uint64_t block = std::min(most, elements - done);
    const std::uint64_t at = done * bytes;
    std::byte* const result = out == a ? detour.data() : out + at;
    if (result != b + at) copy(b + at, result, block);
    copy(a + at, operand.data(), block);
    let_throw([&] {
      return PMPI_Reduce_local(operand.data(), result, static_cast<int>(block), handle_, op_);
    });
    if (out == a) copy(detour.data(), out + at, block);
    done += block;
  }
}

}  // namespace mpiactor
