// The hybrid broadcast: shared memory inside a node, a pipelined plan between nodes.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_BCAST_H_
#define MPIACTOR_ACTOR_COLLECTIVES_BCAST_H_

#include <mpi.h>

#include "actor/between/request_leaders.h"
#include "actor/buffers/message.h"
#include "actor/container/container.h"

namespace mpiactor {

enum class BcastOutcome {
  kDone,
  kTruncated,    // the root sent more than `message` holds
  kSizesDiffer,  // the root sent less
};

// MPI_SUCCESS, or what the MPI library would report: MPI_ERR_TRUNCATE; MPI_ERR_OTHER, as MPICH
// does.
constexpr int error_class(BcastOutcome outcome) {
  switch (outcome) {
    case BcastOutcome::kTruncated:
      return MPI_ERR_TRUNCATE;
    case BcastOutcome::kSizesDiffer:
      return MPI_ERR_OTHER;
    default:
      return MPI_SUCCESS;
  }
}

// `root` valid. message.bytes() may be 0 (MPIACTOR_CHECK compares such calls too). Collective over
// the container's communicator.
BcastOutcome hybrid_bcast(Container& container, const Message& message, int root);

// Whether this rank's next call of hybrid_bcast(), with these arguments, will not wait for anybody
// and end well: on one node a short message for which there is room, or which has come.
bool bcast_need_not_wait(Container& container, const Message& message, int root);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_BCAST_H_
