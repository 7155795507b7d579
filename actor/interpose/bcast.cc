#include "actor/collectives/bcast.h"

#include "actor/interpose/entry.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"

namespace mpiactor::interpose {
namespace {

template <typename Count>
int bcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const auto pass_on = MPIACTOR_LIBRARY(Count, Bcast, buffer, count, type, root, comm);
  const auto run = [&] {
    CommState* const state = handled_state(comm);
    if (!state || !is_rank(root, *state)) return pass(pass_on);
    // MPICH looks at nothing else where there is nothing to send.
    if (count != 0 && is_refused(buffer, count, type)) return pass(pass_on);
    const Message message(buffer, count, count == 0 ? MPI_BYTE : type);
    return take_over(
        CallFacts::bcast(root, message.bytes()), comm, *state, std::tie(message),
        [&](Container& container) -> std::optional<int> {
          return error_class(hybrid_bcast(container, message, root));
        },
        pass_on);
  };
  return trace::traced(
      "MPI_Bcast", comm, root, [&](const trace::Span&) { return traced_bytes(count, type); }, run);
}

}  // namespace
}  // namespace mpiactor::interpose

MPIACTOR_ENTRIES(MPI_Bcast, bcast);
