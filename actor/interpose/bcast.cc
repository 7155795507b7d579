#include "actor/collectives/bcast.h"

#include <exception>
#include <string>

#include "actor/container/registry.h"
#include "actor/interpose/arguments.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/lifetime.h"
#include "actor/interpose/take_over.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor::interpose {
namespace {

int pass_on(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, bool large) {
  ++trace::counters().passed;
  return large ? PMPI_Bcast_c(buffer, count, type, root, comm)
               : PMPI_Bcast(buffer, static_cast<int>(count), type, root, comm);
}

}  // namespace

int bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, bool large) {
  if (leader_mode() == LeaderMode::kOff || comm == MPI_COMM_NULL ||
      !is_valid(buffer, count, type)) {
    return pass_on(buffer, count, type, root, comm, large);
  }
  try {
    CommState* const state = find_comm_state(comm);
    if (!state || state->passed_on || root < 0 || root >= state->size) {
      return pass_on(buffer, count, type, root, comm, large);
    }
    const Message message(buffer, count, type);
    const bool nothing_to_do = message.bytes() == 0 && !world()->settings.check;
    Container* const container = nothing_to_do ? nullptr : find_container(comm, *state);
    if (!container) return pass_on(buffer, count, type, root, comm, large);
    container->prepare_blocking_call(comm);
    const BcastOutcome outcome = hybrid_bcast(*container, message, root, leader_policy());
    ++trace::counters().hybrid;
    trace::hybrid();
    const int error = error_class(outcome);
    return error == MPI_SUCCESS ? error : raise(comm, error);
  } catch (const std::exception& error) {
    // Half of a collective cannot be taken back.
    abort_job(std::string("MPI_Bcast: ") + error.what());
  }
}

}  // namespace mpiactor::interpose
