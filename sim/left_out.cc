#include "sim/left_out.h"

#include <algorithm>

#include "inter/plan.h"
#include "inter/ways.h"

namespace mpiactor::sim {
namespace {

using enum RecordedOperation;

enum Reason { kOneNode, kOneRankEach, kSame, kNotModelled, kNoBytes, kPassedOn };

constexpr LeftOut kReasons[] = {
    {"one_node", "within one node, nobody talks to others"},
    {"one_rank_each", "on nodes of one rank each, there is nobody else to lead"},
    {"same",
     "the two policies take the same time: all ranks wait for the last one, whoever sends, or the "
     "same rank of a node talks under both"},
    {"not_modelled", "blocks may differ in size from rank to rank, which the model does not know"},
    {"no_bytes", "without bytes"},
    {"passed_on", "of a size that the runtime leaves to the MPI library"},
};

bool takes_the_same_time(const RecordedCall& call) {
  const auto nodes = static_cast<int>(call.node_ranks.size());
  switch (call.operation) {
    case kBarrier:
    case kAllreduce:
    case kReduceScatter:
    case kReduceScatterBlock:
      return true;
    case kReduce:
      return nodes > inter::kReduceStarNodes;
    case kAllgather: {
      // Homes talked, because an algorithm was set. An alltoall's record has one in any case.
      const bool ran_a_plan = call.was_hybrid && call.leader_setting == "competitive" &&
                              call.algorithm != "auto" && call.algorithm != "direct";
      return nodes > inter::kLastSendsNodes || ran_a_plan;
    }
    case kAlltoall:
      return nodes > inter::kLastSendsNodes;
    default:
      return false;
  }
}

bool is_played(RecordedOperation operation) {
  return operation == kBcast || operation == kScatter || operation == kGather ||
         operation == kReduce || operation == kAllgather || operation == kAlltoall;
}

// Longer blocks the runtime leaves to the MPI library by default.
bool is_too_long(const RecordedCall& call) {
  switch (call.operation) {
    case kAllgather:
      return call.bytes > inter::kMostAllgatherBlock;
    case kAlltoall:
      return call.bytes > inter::kMostAlltoallBlock;
    case kScatter:
      return call.bytes > inter::kMostScatterBlock;
    default:
      return false;
  }
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
  if (!is_played(call.operation)) return &kReasons[kNotModelled];
  if (call.bytes == 0) return &kReasons[kNoBytes];
  if (is_on_too_many_nodes(call)) return &kReasons[kPassedOn];
  if (!call.was_hybrid && is_too_long(call)) return &kReasons[kPassedOn];
  return nullptr;
}

}  // namespace mpiactor::sim
