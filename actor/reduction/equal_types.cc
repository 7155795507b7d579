#include "actor/reduction/equal_types.h"

#include <cstddef>
#include <vector>

#include "actor/buffers/type_contents.h"

namespace mpiactor::reduction {
namespace {

// The predefined types that `type` is made of, those that `found` holds as one.
void find_parts(MPI_Datatype type, std::vector<const PredefinedType*>& found) {
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  if (bytes == 0) return;
  const TypeContents contents(type);
  if (TypeContents::is_predefined(contents.combiner())) {
    const PredefinedType* const part = find_predefined_type(type);
    if (found.empty() || found.back() != part) found.push_back(part);
    return;
  }
  for (std::size_t i = 0; i < contents.types().size(); ++i) {
    if (!contents.is_empty(i)) find_parts(contents.types()[i], found);
  }
}

// Elements that lie side by side, from their address on; none of them has more than 64 bytes.
bool is_dense(MPI_Datatype type, MPI_Count& bytes) {
  constexpr MPI_Count kMost = 64;
  PMPI_Type_size_x(type, &bytes);
  if (bytes <= 0 || bytes > kMost) return false;
  MPI_Count begin = 0;
  MPI_Count extent = 0;
  PMPI_Type_get_extent_x(type, &begin, &extent);
  if (begin != 0 || extent != bytes) return false;
  PMPI_Type_get_true_extent_x(type, &begin, &extent);
  return begin == 0 && extent == bytes;
}

}  // namespace

const PredefinedType* find_equal_type(MPI_Datatype type) {
  MPI_Count bytes = 0;
  if (!is_dense(type, bytes)) return nullptr;
  std::vector<const PredefinedType*> parts;
  find_parts(type, parts);
  const bool is_one = parts.size() == 1 && parts[0] != nullptr && !parts[0]->is_pair() &&
                      parts[0]->extent_bytes == bytes;
  return is_one ? parts[0] : nullptr;
}

}  // namespace mpiactor::reduction
