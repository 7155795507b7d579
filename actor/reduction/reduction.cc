#include "actor/reduction/reduction.h"

#include "actor/abi/handles.h"
#include "actor/shm/copy.h"

namespace mpiactor {

namespace {

using reduction::Element;
using reduction::Operation;
using reduction::PredefinedType;

// Whether predefined operations give the same bits in every order. Not so extremes of real numbers:
// zeros have a sign, and NaNs are unordered.
bool is_exact(Element element) {
  return element <= Element::kUint64 || element == Element::kLongInt ||
         element == Element::kShortInt || element == Element::kTwoInt;
}

}  // namespace

std::optional<Reduction> Reduction::find(MPI_Op op, MPI_Datatype type) {
  const PredefinedType* found = reduction::find_predefined_type(type);
  const std::size_t number = operation_number(op);
  if (found == nullptr || number >= reduction::kOperations) return std::nullopt;
  if (!found->allows(static_cast<Operation>(number))) return std::nullopt;
  const auto& row = reduction::best_kernels().combine[static_cast<unsigned>(found->element)];
  return Reduction(found, row[number], !is_exact(found->element));
}

void Reduction::copy(const std::byte* from, std::byte* to, std::uint64_t elements) const {
  if (type_->copy != nullptr) {
    type_->copy(from, to, elements);
  } else if (elements > 0) {
    shm::copy_bytes(to, from, elements * type_->extent_bytes);
  }
}

}  // namespace mpiactor
