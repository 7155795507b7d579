// What every function that is taken over does around its hybrid collective.
#ifndef MPIACTOR_ACTOR_INTERPOSE_TAKE_OVER_H_
#define MPIACTOR_ACTOR_INTERPOSE_TAKE_OVER_H_

#include <mpi.h>

#include <exception>
#include <string>

#include "actor/collectives/claims.h"
#include "actor/collectives/message.h"
#include "actor/collectives/operation.h"
#include "actor/collectives/request_leaders.h"
#include "actor/container/registry.h"
#include "actor/container/world.h"
#include "actor/interpose/lifetime.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor::interpose {

inline LeaderPolicy leader_policy() {
  return leader_mode() == LeaderMode::kStatic ? LeaderPolicy::kStatic : LeaderPolicy::kCompetitive;
}

// The state of a communicator whose calls may be handled; else nullptr.
inline CommState* handled_state(MPI_Comm comm) {
  if (leader_mode() == LeaderMode::kOff || comm == MPI_COMM_NULL) return nullptr;
  CommState* const state = find_comm_state(comm);
  return state && !state->passed_on ? state : nullptr;
}

// Whether a call is left to the MPI library anyway, found without a look at its other arguments:
// what is passed on shall cost nothing. Blocks of `count` numbers of a builtin type.
inline bool is_left_to_library(const CommState& state, Operation operation, int count,
                               MPI_Datatype type) {
  if (!state.container || count <= 0 || !is_builtin(type)) return false;
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * builtin_bytes(type);
  return !is_worth_it(operation, bytes, *state.container);
}

// One call on one rank. `bytes` and `root` (-1: none) as is_worth_it() and compare_claims() want
// them.
struct Call {
  Operation operation;
  MPI_Comm comm;
  CommState* state;
  std::uint64_t bytes = 0;
  int root = -1;
};

// run(container) returns whether the call was handled; where it was not, or is not to be, passes it
// on: pass_on() is the MPI library's function with all its arguments.
template <typename Run, typename PassOn>
int take_over(const Call& call, Run run, PassOn pass_on) {
  try {
    Container* const container = find_container(call.comm, *call.state);
    if (container && is_too_short(call.operation, call.bytes, *container)) {
      // As every blocking call does for nonblocking ones.
      container->prepare_blocking_call(call.comm);
    } else if (container && is_worth_it(call.operation, call.bytes, *container)) {
      container->prepare_blocking_call(call.comm);
      compare_claims(*container, call.operation, call.bytes, call.root);
      if (run(*container)) {
        ++trace::counters().hybrid;
        trace::hybrid();
        return MPI_SUCCESS;
      }
      withdraw_claims(*container);
    }
  } catch (const std::exception& error) {
    // Half of a collective cannot be taken back.
    abort_job(std::string(operation_name(call.operation)) + ": " + error.what());
  }
  ++trace::counters().passed;
  return pass_on();
}

// An error that the runtime has found itself.
inline int raise(MPI_Comm comm, int error_class) {
  PMPI_Comm_call_errhandler(comm, error_class);
  return error_class;
}

// For calls that are not even looked at.
template <typename PassOn>
int pass(PassOn pass_on) {
  ++trace::counters().passed;
  return pass_on();
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_TAKE_OVER_H_
