// A message cut into consecutive blocks of nearly equal size, one per node.
#ifndef MPIACTOR_INTER_BLOCKS_H_
#define MPIACTOR_INTER_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "inter/plan.h"

namespace mpiactor::inter {

// Block i covers [offset(i), offset(i + 1)); sizes differ by at most one granule, and the first
// blocks are the longer ones. With fewer granules than blocks the last blocks are empty.
class Blocks {
 public:
  Blocks(std::uint64_t bytes, int count, std::uint64_t granule_bytes = 1)
      : bytes_(bytes), granule_bytes_(granule_bytes) {
    const std::uint64_t granules = bytes / granule_bytes + (bytes % granule_bytes != 0);
    base_ = granules / static_cast<std::uint64_t>(count);
    longer_ = granules % static_cast<std::uint64_t>(count);
  }

  // 0 <= block <= count
  std::uint64_t offset(int block) const {
    const auto index = static_cast<std::uint64_t>(block);
    return std::min(bytes_, (index * base_ + std::min(index, longer_)) * granule_bytes_);
  }

  // Of blocks [first, last).
  ByteRange range(int first, int last) const {
    return {offset(first), offset(last) - offset(first)};
  }

 private:
  std::uint64_t bytes_;
  std::uint64_t granule_bytes_;
  std::uint64_t base_ = 0;
  std::uint64_t longer_ = 0;
};

// The block of each node, of equal sizes or as PlanInput::cuts says.
class NodeBlocks {
 public:
  // `cuts` must outlive it.
  NodeBlocks(std::uint64_t bytes, int nodes, std::uint64_t granule_bytes,
             std::span<const std::uint64_t> cuts)
      : equal_(bytes, nodes, granule_bytes), cuts_(cuts) {}
  explicit NodeBlocks(const PlanInput& input)
      : NodeBlocks(input.bytes, static_cast<int>(input.shape.nodes()), input.granule_bytes,
                   input.cuts) {}

  // 0 <= node <= nodes
  std::uint64_t offset(int node) const {
    return cuts_.empty() ? equal_.offset(node) : cuts_[static_cast<std::size_t>(node)];
  }
  ByteRange of(int node) const { return {offset(node), offset(node + 1) - offset(node)}; }

 private:
  Blocks equal_;
  std::span<const std::uint64_t> cuts_;
};

// What node `from` gives node `to` in an alltoall of `bytes` in all, blocks of equal size.
inline ByteRange alltoall_block(std::uint64_t bytes, int nodes, int from, int to) {
  const auto n = static_cast<std::uint64_t>(nodes);
  const std::uint64_t block = bytes / (n * n);
  return {(static_cast<std::uint64_t>(from) * n + static_cast<std::uint64_t>(to)) * block, block};
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_BLOCKS_H_
