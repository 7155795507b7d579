#include "actor/collectives/operation.h"

#include <map>
#include <mutex>

#include "actor/background/background.h"
#include "actor/collectives/direct_scatter.h"
#include "actor/container/world.h"
#include "inter/lasting.h"
#include "inter/rules.h"

namespace mpiactor {

namespace {

struct OperationRow {
  const char* name;
  inter::Call call;  // whose rules hold for it
};
// In the order of Operation.
constexpr OperationRow kOperations[] = {
    {"MPI_Barrier", inter::Call::kAllreduce},
    {"MPI_Bcast", inter::Call::kBcast},
    {"MPI_Reduce", inter::Call::kReduce},
    {"MPI_Allreduce", inter::Call::kAllreduce},
    {"MPI_Reduce_scatter", inter::Call::kReduceScatter},
    {"MPI_Reduce_scatter_block", inter::Call::kReduceScatter},
    {"MPI_Allgather", inter::Call::kAllgather},
    {"MPI_Allgatherv", inter::Call::kAllgatherv},
    {"MPI_Gather", inter::Call::kGather},
    {"MPI_Gatherv", inter::Call::kGatherv},
    {"MPI_Scatter", inter::Call::kScatter},
    {"MPI_Scatterv", inter::Call::kScatterv},
    {"MPI_Alltoall", inter::Call::kAlltoall},
    {"MPI_Alltoallv", inter::Call::kAlltoallv},
};
const OperationRow& row_of(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

}  // namespace

const char* operation_name(Operation operation) { return row_of(operation).name; }
inter::Call call_of(Operation operation) { return row_of(operation).call; }

namespace {

// By the settings.
bool is_combined_as_it_comes(const CallFacts& call) {
  return world()->settings.reduce_order == ReduceOrder::kArrival &&
         inter::is_reduction(call_of(call.operation())) &&
         call.bytes() > inter::kShortReductionBytes;
}

bool hands_over(const CallFacts& call) {
  return call.operation() == Operation::kScatter || call.operation() == Operation::kScatterv;
}

// But to pass.
unsigned abilities(const CallFacts& call, const Container& container, LeaderPolicy policy) {
  return inter::abilities_of({.competes = policy == LeaderPolicy::kCompetitive,
                              .reads_others = container.single_copy() &&
                                              (!hands_over(call) || fits_direct_scatter(container)),
                              .order_is_free = !call.order_matters(),
                              .as_they_come = is_combined_as_it_comes(call)},
                             call.bytes());
}

const inter::Rule& rule_for(const CallFacts& call, const Container& container, unsigned can) {
  // A barrier goes as an allreduce of one byte.
  const std::uint64_t bytes = call.operation() == Operation::kBarrier ? 1 : call.bytes();
  return container.rules().find(call_of(call.operation()), bytes, can);
}

}  // namespace

const inter::Rule& rule_of(const CallFacts& call, const Container& container, LeaderPolicy policy) {
  return rule_for(call, container,
                  abilities(call, container, policy) | inter::kMayPass | inter::kMayPassBlocking);
}

bool is_worth_it(const CallFacts& call, const Container& container, LeaderPolicy policy) {
  const unsigned can = abilities(call, container, policy) | inter::kMayPass;
  return rule_for(call, container, can).way != inter::Way::kLibrary;
}

bool goes_on_in_staging(const CallFacts& call, const Container& container) {
  if (background::inside()) return true;
  const unsigned can = (abilities(call, container, container.policy()) &
                        ~(inter::kReadsOthers | inter::kHasSendBuffers)) |
                       inter::kMayPass;
  return rule_for(call, container, can).way != inter::Way::kLibrary;
}

inter::Way way_of(const CallFacts& call, const Container& container) {
  return rule_for(call, container, abilities(call, container, container.policy())).way;
}

inter::Way way_without_direct(const CallFacts& call, const Container& container) {
  const unsigned can = abilities(call, container, container.policy()) & ~inter::kCompetes;
  return rule_for(call, container, can).way;
}

bool combines_by_arrival(const CallFacts& call, const Container& container) {
  if (call.bytes() <= inter::kShortReductionBytes) return false;
  return is_combined_as_it_comes(call) ||
         rule_for(call, container, abilities(call, container, container.policy())).by_arrival;
}

bool last_member_sends(const Container& container) {
  const NodeMap& nodes = container.nodes();
  return container.is_competitive() && world()->settings.torus.empty() &&
         nodes.nodes() <= inter::kMostDirectNodes && nodes.most_members() > 1;
}

bool block_goes_directly(const CallFacts& call, std::uint64_t bytes, const Container& container) {
  return container.rules()
             .find(call_of(call.operation()), bytes, abilities(call, container, container.policy()))
             .way == inter::Way::kSingleCopy;
}

namespace {

struct RuleCounts {
  std::mutex mutex;
  std::map<inter::Call, std::map<std::string, std::uint64_t>> calls;
};

RuleCounts& rule_counts() {
  static inter::Lasting<RuleCounts> counts;
  return *counts;
}

}  // namespace

void count_rule(const CallFacts& call, const inter::Rule& rule) {
  const inter::Call kind = call_of(call.operation());
  std::string name = rule.name();
  const auto collective = inter::collective_of(kind);
  if (rule.way == inter::Way::kPlan && collective &&
      world()->settings.algorithm(*collective) != "auto") {
    name = world()->settings.algorithm(*collective);
  }
  const std::scoped_lock lock(rule_counts().mutex);
  ++rule_counts().calls[kind][name];
}

std::string rules_counted() {
  std::string text;
  for (const auto& [call, of_call] : rule_counts().calls) {
    text += (text.empty() ? "" : "; ") + std::string(inter::call_name(call));
    const char* before = " ";
    for (const auto& [name, calls] : of_call) {
      text += before + name + " " + std::to_string(calls);
      before = ", ";
    }
  }
  return text;
}

}  // namespace mpiactor
