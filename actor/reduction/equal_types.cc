#include "actor/reduction/equal_types.h"

#include <cstddef>
#include <vector>

namespace mpiactor::reduction {
namespace {

// What a type was made of. Types of large-count constructors are known to the `_c` functions alone.
struct Contents {
  explicit Contents(MPI_Datatype type) {
    MPI_Count integer_count = 0;
    MPI_Count address_count = 0;
    MPI_Count large_count = 0;
    MPI_Count type_count = 0;
    PMPI_Type_get_envelope_c(type, &integer_count, &address_count, &large_count, &type_count,
                             &combiner);
    if (combiner == MPI_COMBINER_NAMED) return;
    integers.resize(static_cast<std::size_t>(integer_count));
    larges.resize(static_cast<std::size_t>(large_count));
    types.resize(static_cast<std::size_t>(type_count));
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(address_count));
    PMPI_Type_get_contents_c(type, integer_count, address_count, large_count, type_count,
                             integers.data(), addresses.data(), larges.data(), types.data());
  }
  ~Contents() {
    for (MPI_Datatype& part : types) {
      if (Contents(part).combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&part);
    }
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  // Whether the type has nothing of part `i`. Counts of a structure's parts stand behind their
  // number.
  bool is_empty(std::size_t i) const {
    if (combiner != MPI_COMBINER_STRUCT) return false;
    return larges.empty() ? integers[i + 1] == 0 : larges[i + 1] == 0;
  }

  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Count> larges;
  std::vector<MPI_Datatype> types;
};

// The predefined types that `type` is made of, those that `found` holds as one.
void find_parts(MPI_Datatype type, std::vector<const PredefinedType*>& found) {
  const Contents contents(type);
  if (contents.combiner == MPI_COMBINER_NAMED) {
    const PredefinedType* const part = find_predefined_type(type);
    if (found.empty() || found.back() != part) found.push_back(part);
    return;
  }
  for (std::size_t i = 0; i < contents.types.size(); ++i) {
    if (!contents.is_empty(i)) find_parts(contents.types[i], found);
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
