// Allreduce by recursive doubling: in round k the places whose numbers differ in bit k swap all
// they have and combine. Both sides combine the same two values, so all nodes have the same bits.
// The fewest rounds, the whole message in each: for short messages.
#include "inter/algorithms.h"
#include "inter/folding.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {
namespace {

enum Channel { kFold = 0, kUnfold = 1, kFirstRound = 2 };

}  // namespace

Plan allreduce_recursive_doubling(const PlanInput& input) {
  const VirtualRank ranks(input);
  const Folding folding(ranks.nodes);
  const int self = ranks.of_node(input.node);
  Plan plan;
  auto add = [&](OpKind kind, int peer, int channel, std::uint32_t wait) {
    return plan.add(
        {.kind = kind, .peer = ranks.to_node(peer), .bytes = input.bytes, .channel = channel},
        {wait});
  };
  if (folding.steps_aside(self)) {
    const int host = folding.host_of(self);
    add(OpKind::kReceive, host, kUnfold, add(OpKind::kSend, host, kFold, Plan::kNoOp));
    return plan;
  }
  const int guest = folding.guest_of(self);
  std::uint32_t combined = Plan::kNoOp;
  if (guest >= 0) combined = add(OpKind::kReceiveReduce, guest, kFold, Plan::kNoOp);
  const int place = folding.place_of(self);
  for (int bit = 1, round = 0; bit < folding.places(); bit *= 2, ++round) {
    const int peer = folding.rank_at(place ^ bit);
    const std::uint32_t sent = add(OpKind::kSend, peer, kFirstRound + round, combined);
    combined = add(OpKind::kReceiveReduce, peer, kFirstRound + round, sent);
  }
  if (guest >= 0) add(OpKind::kSend, guest, kUnfold, combined);
  return plan;
}

}  // namespace mpiactor::inter
