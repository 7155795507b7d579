// What every function that is taken over does around its hybrid collective.
//
// In this order: is the runtime's to handle the communicator's calls; would the MPI library refuse
// the arguments on this rank (library_check.h): then it does so, without communicating; else the
// call is decided by its facts alone (take_over()), on all ranks alike.
#ifndef MPIACTOR_ACTOR_INTERPOSE_TAKE_OVER_H_
#define MPIACTOR_ACTOR_INTERPOSE_TAKE_OVER_H_

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <tuple>

#include "actor/between/request_leaders.h"
#include "actor/buffers/message.h"
#include "actor/collectives/begin_call.h"
#include "actor/collectives/claims.h"
#include "actor/collectives/device_agreement.h"
#include "actor/collectives/operation.h"
#include "actor/container/progress.h"
#include "actor/container/registry.h"
#include "actor/container/world.h"
#include "actor/interpose/guard.h"
#include "actor/interpose/lifetime.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor::interpose {

inline LeaderPolicy leader_policy() {
  return leader_mode() == LeaderMode::kStatic ? LeaderPolicy::kStatic : LeaderPolicy::kCompetitive;
}

// The state of a communicator whose calls may be handled; else nullptr. Equal on all ranks.
inline CommState* handled_state(MPI_Comm comm) {
  if (leader_mode() == LeaderMode::kOff || comm == MPI_COMM_NULL) return nullptr;
  CommState* const state = find_comm_state(comm);
  return state && !state->passed_on ? state : nullptr;
}

inline bool is_rank(int root, const CommState& state) { return root >= 0 && root < state.size; }

// The whole call goes to the MPI library: on all ranks, or since it will refuse the arguments.
template <typename PassOn>
int pass(PassOn pass_on) {
  ++trace::counters().passed;
  return let_throw(pass_on);
}

// An error that the runtime has found itself.
inline int raise(MPI_Comm comm, int error_class) {
  let_throw([&] { return PMPI_Comm_call_errhandler(comm, error_class); });
  return error_class;
}

// Whether a call is left to the MPI library anyway, found without a look at its other arguments:
// what is passed on shall cost nothing. `facts(bytes)`: of blocks of so many bytes.
template <typename Facts>
bool is_left_to_library(const CommState& state, MPI_Count count, MPI_Datatype type, Facts facts) {
  if (!state.container || count <= 0 || !is_builtin(type)) return false;
  const CallFacts call = facts(static_cast<std::uint64_t>(count) * builtin_bytes(type));
  const inter::Rule& rule = rule_of(call, *state.container, leader_policy());
  return rule.way == inter::Way::kLibrary && !rule.blocking;
}

// What run() says where it has done nothing, on any rank.
inline constexpr std::nullopt_t kNotDone = std::nullopt;
inline std::optional<int> done_if(bool is_done) {
  return is_done ? std::optional<int>(MPI_SUCCESS) : kNotDone;
}

// run(container) does the call and returns this rank's error class, or kNotDone; where the call is
// not to be done, or was not, pass_on() is the MPI library's function with all its arguments.
// `buffers`: those that the call reads or writes on this rank, std::tie()d; where one of any rank
// lies in a GPU's memory, all pass the call on.
template <typename... Buffers, typename Run, typename PassOn>
int take_over(const CallFacts& facts, MPI_Comm comm, CommState& state,
              const std::tuple<Buffers&...>& buffers, Run run, PassOn pass_on) {
  if (facts.is_empty() && !world()->settings.check) return pass(pass_on);
  Container* const container = find_container(comm, state);
  if (!container) return pass(pass_on);
  const LeaderPolicy policy = leader_policy();
  const inter::Rule& rule = rule_of(facts, *container, policy);
  if (world()->settings.verbose >= Verbosity::kInfo) count_rule(facts, rule);
  const bool is_left = rule.way == inter::Way::kLibrary;
  if (is_left && !rule.blocking) return pass(pass_on);
  prepare_blocking_call(comm, state, facts.root() != CallFacts::kNoRoot);
  if (is_left) return pass(pass_on);
  begin_call(*container, facts, policy);
  const bool is_passed_on = facts.is_empty() || has_any_rank_on_device(*container, comm, buffers);
  const std::optional<int> error = is_passed_on ? kNotDone : run(*container);
  if (!error) {
    withdraw_claims(*container);
    return pass(pass_on);
  }
  look_is_due.store(true, std::memory_order_relaxed);
  ++trace::counters().hybrid;
  trace::hybrid();
  return *error == MPI_SUCCESS ? MPI_SUCCESS : raise(comm, *error);
}

// For the trace, after a call without error.
inline std::uint64_t traced_bytes(MPI_Count count, MPI_Datatype type) {
  MPI_Count bytes = 0;
  if (count > 0) PMPI_Type_size_x(type, &bytes);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes);
}

template <typename Count>
MPI_Count sum_of(const Count* counts, std::uint32_t ranks) {
  return std::accumulate(counts, counts + ranks, MPI_Count{0});
}

// Of blocks of different sizes.
template <typename Count>
std::uint64_t traced_average_bytes(const Count* counts, MPI_Datatype type,
                                   const trace::Span& span) {
  return traced_bytes(sum_of(counts, span.ranks()), type) / std::max(1u, span.ranks());
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_TAKE_OVER_H_
