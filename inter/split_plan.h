// A plan in two parts, for two processes of a node: what it sends before anything of other nodes
// counts, and the rest. So whoever completes a node's data can send them at once, without having to
// wait for the process that receives for the node.
#ifndef MPIACTOR_INTER_SPLIT_PLAN_H_
#define MPIACTOR_INTER_SPLIT_PLAN_H_

#include <optional>
#include <vector>

#include "inter/plan.h"

namespace mpiactor::inter {

struct SplitPlan {
  Plan first;  // sends, each waiting for none but sends
  Plan rest;   // does not wait for `first`
  // Bytes of the buffer that `first` sends from. Empty where `rest` leaves them as they are; else
  // `first` counts from the beginning of a copy of them, made before `rest` begins.
  ByteRange copied;
};

// Both parts together are `plan`. A send whose channel the node sends on more than once belongs to
// the rest: the order of messages from two processes is not known.
SplitPlan split_plan(const Plan& plan);

// The rest of a split plan in which nothing is passed on: all that it receives may be taken in from
// the beginning, whatever the node's own data do. What it sends, if anything, is made of what comes
// in a first round, all of it, and of the node's own data.
struct Rounds {
  Plan receives;
  std::vector<bool> is_first;  // of `receives`
  Plan sends;                  // of the second round
};
std::optional<Rounds> find_rounds(const SplitPlan& split);

// Up to so many nodes no algorithm's node receives on more than kMaxChannels channels, so that each
// of them tells who a message is from, whichever of a node's processes sends it.
inline constexpr int kMostSplitNodes = kMaxChannels / 4;

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SPLIT_PLAN_H_
