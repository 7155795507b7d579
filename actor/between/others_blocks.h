// What the root of a scatter or gather has for, or gets from, the other nodes.
#ifndef MPIACTOR_ACTOR_BETWEEN_OTHERS_BLOCKS_H_
#define MPIACTOR_ACTOR_BETWEEN_OTHERS_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "actor/buffers/rank_blocks.h"
#include "actor/container/node_map.h"
#include "inter/exchange_plan.h"
#include "inter/kept_bytes.h"

namespace mpiactor {

// Bytes [offset, offset + bytes) of the blocks of all other nodes' ranks, a message a node. They
// are sent from, or received in, the root's own buffer where a node's lie next to each other there:
// whole, without gaps, of consecutive ranks. Else they are packed, or unpacked.
class OthersBlocks {
 public:
  // `all` and `nodes` must outlive it.
  OthersBlocks(const NodeMap& nodes, int root_node, RankBlocks& all, std::uint64_t offset,
               std::uint64_t bytes);

  const std::vector<inter::Transfer>& transfers() const { return transfers_; }
  std::byte* buffer() { return buffer_; }
  std::uint64_t buffer_bytes() const { return buffer_bytes_; }

  void pack();    // before they are sent
  void unpack();  // after they have come

 private:
  bool lie_together() const;
  // Calls use(rank, its bytes in the buffer).
  template <typename Use>
  void for_each_packed(Use use);

  const NodeMap& nodes_;
  RankBlocks& all_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
  std::vector<inter::Transfer> transfers_;
  inter::KeptBytes packed_;
  std::byte* buffer_ = nullptr;
  std::uint64_t buffer_bytes_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_OTHERS_BLOCKS_H_
