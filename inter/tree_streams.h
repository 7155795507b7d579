// Plans in which every stream of the message has a tree of its own.
#ifndef MPIACTOR_INTER_TREE_STREAMS_H_
#define MPIACTOR_INTER_TREE_STREAMS_H_

#include <span>
#include <vector>

#include "inter/blocks.h"
#include "inter/plan.h"

namespace mpiactor::inter {

// One node's place in the tree of one stream.
struct TreePlace {
  static constexpr int kNoParent = -1;  // at the root
  int parent = kNoParent;
  std::vector<int> children;     // in the order in which they are served
  ByteRange range;               // of the message
  int place_among_siblings = 0;  // this node's index in its parent's children; for reductions
};

// Sends what comes from the parent on to the children, in all streams at once. Stream and channel
// number are the index of the place.
Plan broadcast_along(std::span<const TreePlace> places);

// No node of a tree has more children in reductions.
inline constexpr int kMostChildren = 7;

// Combines what comes from the children, in their order, and sends it to the parent.
Plan reduce_along(std::span<const TreePlace> places);

// Up and, in the same trees, down again, each segment as soon as the root has it complete.
Plan allreduce_along(std::span<const TreePlace> places);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TREE_STREAMS_H_
