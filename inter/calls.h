// Which calls rules are for, which ways there are, and their names.
#ifndef MPIACTOR_INTER_CALLS_H_
#define MPIACTOR_INTER_CALLS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inter/registry.h"

namespace mpiactor::inter {

// What rules are for. A barrier goes as an allreduce of one byte.
enum class Call {
  kBcast,
  kReduce,
  kAllreduce,
  kReduceScatter,  // and MPI_Reduce_scatter_block
  kAllgather,
  kAllgatherv,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAlltoall,
  kAlltoallv,
};
inline constexpr std::size_t kCalls = 12;
constexpr std::array<Call, kCalls> all_calls() {
  std::array<Call, kCalls> calls{};
  for (std::size_t i = 0; i < kCalls; ++i) calls[i] = static_cast<Call>(i);
  return calls;
}
constexpr bool is_reduction(Call call) {
  return call == Call::kReduce || call == Call::kAllreduce || call == Call::kReduceScatter;
}
// "bcast", "reduce_scatter", ...
const char* call_name(Call call);
// Nothing for another name.
std::optional<Call> call_of(std::string_view name);
// Whose algorithms it may run between nodes, if any.
std::optional<Collective> collective_of(Call call);
Call call_of(Collective collective);

// Who serves a call.
enum class Way {
  kLibrary,      // the MPI library
  kStaging,      // one node: members meet in common memory
  kSingleCopy,   // one node: members read or write each other's memory
  kSendBuffers,  // one node: members read what each has laid down in memory of its own
  kDirect,       // each node sends what it has to those who need it; whoever is there does
  kShares,       // each node combines a share of the vector for all
  kPlan,         // an algorithm of the registry: the rule's, or what the cost model says is fastest
};
inline constexpr Way kWays[] = {Way::kLibrary, Way::kStaging, Way::kSingleCopy, Way::kSendBuffers,
                                Way::kDirect,  Way::kShares,  Way::kPlan};
// "library", "staging", ...; "auto" for kPlan.
const char* way_name(Way way);
bool may_go(Call call, Way way);

// The names that rules for a call can have: of ways, of algorithms.
std::vector<std::string> rule_names(Call call);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_CALLS_H_
