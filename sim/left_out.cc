#include "sim/left_out.h"

#include <algorithm>

#include "inter/plan.h"

namespace mpiactor::sim {
namespace {

using enum RecordedOperation;

enum Reason { kOneNode, kOneRankEach, kSame, kSizesUnknown, kNotModelled, kNoBytes, kPassedOn };

constexpr LeftOut kReasons[] = {
    {"one_node", "within one node, nobody talks to others"},
    {"one_rank_each", "on nodes of one rank each, there is nobody else to lead"},
    {"same",
     "the two policies take the same time: the same rank of a node talks under both, by the same "
     "plan"},
    {"sizes_unknown", "the trace holds a sum or a mean, not how much each rank gets"},
    {"not_modelled", "an operation that the model does not know"},
    {"no_bytes", "without bytes"},
    {"passed_on", "of a size that the runtime leaves to the MPI library"},
};

// Because an algorithm was set. An alltoall's record has one in any case.
bool leaders_ran_a_plan(const RecordedCall& call) {
  return call.was_hybrid && call.leader_setting == "competitive" && call.algorithm != "auto" &&
         call.algorithm != "direct";
}

bool takes_the_same_time(const RecordedCall& call) {
  switch (call.operation) {
    case kBarrier:
    case kReduce:
    case kAlltoall:
      return way_of(call, false) == inter::Way::kPlan;
    case kAllreduce:
    case kAllgather:
    case kAllgatherv:
      return way_of(call, false) == inter::Way::kPlan || leaders_ran_a_plan(call);
    case kReduceScatter:
    case kReduceScatterBlock:
      return way_of(call, false) != inter::Way::kShares;
    default:
      return false;
  }
}

bool has_bytes(const RecordedCall& call) {
  if (call.operation == kBarrier) return true;
  if (call.blocks.empty()) return call.bytes != 0;
  return std::any_of(call.blocks.begin(), call.blocks.end(),
                     [](std::uint64_t bytes) { return bytes != 0; });
}

bool is_on_too_many_nodes(const RecordedCall& call) {
  return (call.operation == kScatter || call.operation == kGather) &&
         call.node_ranks.size() > inter::kMaxChannels;
}

}  // namespace

std::span<const LeftOut> left_out_reasons() { return kReasons; }

const LeftOut* left_out(const RecordedCall& call) {
  if (call.node_ranks.size() == 1) return &kReasons[kOneNode];
  if (call.layout().most_members() == 1) return &kReasons[kOneRankEach];
  if (takes_the_same_time(call)) return &kReasons[kSame];
  if (call.operation == kReduceScatter || call.operation == kAlltoallv) {
    return &kReasons[kSizesUnknown];
  }
  if (call.operation == kOther) return &kReasons[kNotModelled];
  if (!has_bytes(call)) return &kReasons[kNoBytes];
  if (call.operation == kScatterv) return &kReasons[kPassedOn];
  if (is_on_too_many_nodes(call)) return &kReasons[kPassedOn];
  if (!call.was_hybrid && way_of(call, true) == inter::Way::kLibrary) return &kReasons[kPassedOn];
  return nullptr;
}

}  // namespace mpiactor::sim
