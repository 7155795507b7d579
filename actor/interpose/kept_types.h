// Datatypes that stay as long as a call: the application may free its own at once.
#ifndef MPIACTOR_ACTOR_INTERPOSE_KEPT_TYPES_H_
#define MPIACTOR_ACTOR_INTERPOSE_KEPT_TYPES_H_

#include <mpi.h>

#include <vector>

#include "actor/abi/handles.h"
#include "inter/messages.h"

namespace mpiactor::interpose {

class KeptTypes {
 public:
  KeptTypes() = default;
  ~KeptTypes() {
    for (Kept& each : kept_) PMPI_Type_free(&each.own);
  }
  KeptTypes(const KeptTypes&) = delete;
  KeptTypes& operator=(const KeptTypes&) = delete;

  // A type like `type`, which must be valid; the same one where it is the same. Not a duplicate,
  // for which the application's functions that copy attributes would be called.
  MPI_Datatype keep(MPI_Datatype type) {
    if (is_builtin(type)) return type;
    for (const Kept& each : kept_) {
      if (each.of == type) return each.own;
    }
    Kept kept{type, MPI_DATATYPE_NULL};
    inter::check_mpi(PMPI_Type_contiguous(1, type, &kept.own), "keeping a datatype");
    inter::check_mpi(PMPI_Type_commit(&kept.own), "keeping a datatype");
    kept_.push_back(kept);
    return kept.own;
  }

 private:
  struct Kept {
    MPI_Datatype of;
    MPI_Datatype own;
  };
  std::vector<Kept> kept_;
};

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_KEPT_TYPES_H_
