// The memory of a node in which an alltoallv's short blocks are laid down for other nodes, and come
// from them. It holds *block messages*, one behind the other:
//
//   out   one for each node, the own one too: what this node's members give that node's
//   in    one from each other node, in the order in which they come
//
// A block message is a head and *parts*, in the order in which its writers came. A part is what one
// member gives the members of one node: who gives, a size for each of them, and those of the blocks
// that are short, one behind the other. So a block message is sent from where it was written, and
// read where it was received.
#ifndef MPIACTOR_ACTOR_BETWEEN_ALLTOALLV_BUFFERS_H_
#define MPIACTOR_ACTOR_BETWEEN_ALLTOALLV_BUFFERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "actor/between/block_message.h"
#include "actor/container/node_map.h"

namespace mpiactor {

class AlltoallvBuffers {
 public:
  struct Head {
    std::uint64_t node = 0;           // whose members give
    std::uint64_t bytes = 0;          // of the parts
    std::uint64_t longest_block = 0;  // of all that this node's members give anybody
  };

  // What the buffers of any node take at most, for short blocks of `short_bytes`.
  static std::uint64_t most_bytes(const NodeMap& nodes, std::uint64_t short_bytes);
  // The longest blocks, a multiple of 8 bytes, for which most_bytes() is within `room`; 0: none.
  static std::uint64_t short_bytes_for(const NodeMap& nodes, std::uint64_t room);

  // Of node `node`. Blocks up to `short_bytes` are short.
  AlltoallvBuffers(const NodeMap& nodes, int node, std::uint64_t short_bytes);

  std::uint64_t bytes() const;
  // The first of them, which must be zero before the first part.
  std::uint64_t zeroed_bytes() const;
  // Before anything else: where the buffers lie.
  void lie_at(std::byte* memory) { memory_ = memory; }

  std::uint64_t short_bytes() const { return short_bytes_; }
  // How much of a block lies in a part.
  std::uint64_t in_part(std::uint64_t bytes) const { return bytes <= short_bytes_ ? bytes : 0; }

  // Room for a part of `bytes` in the block message to `node`. Any member, any time.
  std::byte* take_room(int node, std::uint64_t bytes);
  // A member gives blocks of up to `longest` bytes. The same.
  void note_longest(std::uint64_t longest);

  // When all parts are written, one member: the block message to `node`, its head filled in.
  struct Message {
    const std::byte* begin;
    std::uint64_t bytes;
  };
  Message finish_message(int node);
  // Place of the `index`-th of the block messages that come, and how much fits there.
  std::byte* incoming(std::uint64_t index) const;
  std::uint64_t most_incoming_bytes() const;

  // What there is to be read: the `index`-th block message that has come; what this node's members
  // give each other.
  struct Parts {
    Head head;
    const std::byte* begin;
  };
  Parts incoming_parts(std::uint64_t index) const;
  Parts own_parts() const;
  // Calls visit(rank, bytes, block) for what each writer gives member `reader` of this node;
  // `block` holds the bytes where they are short.
  template <typename Visit>
  void read(const Parts& parts, int reader, Visit visit) const;

 private:
  // Of the block messages' beginnings: a head, and what rounding takes.
  static constexpr std::uint64_t kMessageBegin = 64;
  static_assert(sizeof(Head) <= kMessageBegin);

  std::uint64_t members(int node) const { return nodes_.members(node).size(); }
  Head head_for(int node) const;
  std::byte* outgoing(int node) const;
  // Words that members write at the same time, a cache line each: how many bytes of each block
  // message have been given out; behind them, the longest block.
  std::atomic<std::uint64_t>& word(int index) const;
  int longest_word() const { return nodes_.nodes(); }

  const NodeMap& nodes_;
  int node_;
  std::uint64_t short_bytes_;
  std::byte* memory_ = nullptr;
};

template <typename Visit>
void AlltoallvBuffers::read(const Parts& parts, int reader, Visit visit) const {
  const inter::RankList writers = nodes_.members(static_cast<int>(parts.head.node));
  const std::byte* part = parts.begin;
  const std::byte* const end = part + parts.head.bytes;
  const int readers = static_cast<int>(members(node_));
  while (part != end) {
    BlockMessageReader numbers(part);
    const int rank = writers[numbers.number()];
    const std::byte* block = part + (1 + members(node_)) * sizeof(std::uint64_t);
    for (int each = 0; each < readers; ++each) {
      const std::uint64_t bytes = numbers.number();
      if (each == reader) visit(rank, bytes, block);
      block += in_part(bytes);
    }
    part = block;
  }
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_ALLTOALLV_BUFFERS_H_
