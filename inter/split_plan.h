// A plan in two parts, for two processes of a node: what it sends before anything of other nodes
// counts, and the rest. So whoever completes a node's data can send them at once, without having to
// wait for the process that receives for the node.
#ifndef MPIACTOR_INTER_SPLIT_PLAN_H_
#define MPIACTOR_INTER_SPLIT_PLAN_H_

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

// Up to so many nodes no algorithm's node receives on more than kMaxChannels channels, so that each
// of them tells who a message is from, whichever of a node's processes sends it.
inline constexpr int kMostSplitNodes = kMaxChannels / 4;

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SPLIT_PLAN_H_
