// Where the blocks of an alltoall lie, of equal size or each of its own.
#ifndef MPIACTOR_INTER_ALLTOALL_BLOCKS_H_
#define MPIACTOR_INTER_ALLTOALL_BLOCKS_H_

#include "inter/blocks.h"
#include "inter/plan.h"

namespace mpiactor::inter {

// One node's blocks, as offsets of its plan. Keeps a reference to `input`.
class AlltoallBlocks {
 public:
  explicit AlltoallBlocks(const PlanInput& input) : input_(input) {}

  BufferLayout layout() const {
    return has_sizes() ? BufferLayout::kOwnBuffers : BufferLayout::kMessage;
  }
  // What the node gives node `to`; may be empty.
  ByteRange given(int to) const {
    return has_sizes() ? input_.gives[static_cast<std::size_t>(to)] : equal(input_.node, to);
  }
  // What it takes from node `from`; may be empty.
  ByteRange taken(int from) const {
    if (!has_sizes()) return equal(from, input_.node);
    const ByteRange& range = input_.takes[static_cast<std::size_t>(from)];
    return {kTakenBegin + range.offset, range.bytes};
  }

 private:
  bool has_sizes() const { return !input_.gives.empty(); }
  ByteRange equal(int from, int to) const {
    return alltoall_block(input_.bytes, static_cast<int>(input_.shape.nodes()), from, to);
  }

  const PlanInput& input_;
};

// Operations that follow one another: an empty block, for which there is none, leaves the next to
// wait for the one before it.
class OpSequence {
 public:
  std::uint32_t last() const { return last_; }
  void append(std::uint32_t op) {
    if (op != Plan::kNoOp) last_ = op;
  }

 private:
  std::uint32_t last_ = Plan::kNoOp;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ALLTOALL_BLOCKS_H_
