#include "actor/collectives/device_agreement.h"

#include <cstddef>

#include "actor/reduction/reduction.h"

namespace mpiactor {

bool is_true_on_any_rank(Container& container, MPI_Comm comm, bool mine) {
  static const Reduction any = *Reduction::find(MPI_BOR, MPI_BYTE);
  const std::byte own{mine};
  std::byte result{};
  hybrid_allreduce(container, comm, {&own, &result, 1}, any);
  return result != std::byte{};
}

}  // namespace mpiactor
