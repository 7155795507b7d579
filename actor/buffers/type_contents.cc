#include "actor/buffers/type_contents.h"

namespace mpiactor {

TypeContents::TypeContents(MPI_Datatype type) {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count larges = 0;
  MPI_Count types = 0;
  PMPI_Type_get_envelope_c(type, &integers, &addresses, &larges, &types, &combiner_);
  if (is_predefined(combiner_)) return;
  integers_.resize(static_cast<std::size_t>(integers));
  larges_.resize(static_cast<std::size_t>(larges));
  types_.resize(static_cast<std::size_t>(types));
  std::vector<MPI_Aint> at(static_cast<std::size_t>(addresses));
  PMPI_Type_get_contents_c(type, integers, addresses, larges, types, integers_.data(), at.data(),
                           larges_.data(), types_.data());
}

TypeContents::~TypeContents() {
  for (MPI_Datatype& part : types_) {
    if (!is_predefined(combiner_of(part))) PMPI_Type_free(&part);
  }
}

int TypeContents::combiner_of(MPI_Datatype type) {
  MPI_Count ignored[4];
  int combiner = 0;
  PMPI_Type_get_envelope_c(type, &ignored[0], &ignored[1], &ignored[2], &ignored[3], &combiner);
  return combiner;
}

bool TypeContents::is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

// Counts of a structure's parts stand behind their number.
bool TypeContents::is_empty(std::size_t i) const {
  if (combiner_ != MPI_COMBINER_STRUCT) return false;
  return larges_.empty() ? integers_[i + 1] == 0 : larges_[i + 1] == 0;
}

}  // namespace mpiactor
