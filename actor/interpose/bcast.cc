#include "actor/collectives/bcast.h"

#include <exception>
#include <string>
#include <type_traits>

#include "actor/container/registry.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/lifetime.h"
#include "actor/trace/counters.h"

namespace mpiactor::interpose {
namespace {

int pass_on(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, bool large) {
  ++trace::counters().passed;
  return large ? PMPI_Bcast_c(buffer, count, type, root, comm)
               : PMPI_Bcast(buffer, static_cast<int>(count), type, root, comm);
}

// The MPI library's own checks of buffer, count and type: on a communicator of one process a
// broadcast does nothing else.
bool arguments_are_valid(void* buffer, MPI_Count count, MPI_Datatype type) {
  return PMPI_Bcast_c(buffer, count, type, 0, world()->self_comm) == MPI_SUCCESS;
}

int raise(MPI_Comm comm, int error_class) {
  PMPI_Comm_call_errhandler(comm, error_class);
  return error_class;
}

int outcome_to_error(BcastOutcome outcome, MPI_Comm comm) {
  switch (outcome) {
    case BcastOutcome::kTruncated:
      return raise(comm, MPI_ERR_TRUNCATE);
    case BcastOutcome::kSizesDiffer:
      return raise(comm, MPI_ERR_OTHER);  // as MPICH does
    default:
      return MPI_SUCCESS;
  }
}

}  // namespace

int bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, bool large) {
  const LeaderMode mode = leader_mode();
  if (mode == LeaderMode::kOff || comm == MPI_COMM_NULL ||
      !arguments_are_valid(buffer, count, type)) {
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
    const LeaderPolicy policy =
        mode == LeaderMode::kStatic ? LeaderPolicy::kStatic : LeaderPolicy::kCompetitive;
    const BcastOutcome outcome = hybrid_bcast(*container, message, root, policy);
    ++trace::counters().hybrid;
    return outcome_to_error(outcome, comm);
  } catch (const std::exception& error) {
    // Half of a collective cannot be taken back.
    abort_job(std::string("MPI_Bcast: ") + error.what());
  }
}

// For entries.cc, which does not know MPI's types.
static_assert(std::is_same_v<MPI_Comm, int> && std::is_same_v<MPI_Datatype, int> &&
              sizeof(MPI_Count) == sizeof(long));
int bcast_entry(void* buffer, long count, int type, int root, int comm, bool large);
int bcast_entry(void* buffer, long count, int type, int root, int comm, bool large) {
  return bcast(buffer, count, type, root, comm, large);
}

}  // namespace mpiactor::interpose
