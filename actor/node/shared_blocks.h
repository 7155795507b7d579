// Blocks from one member of a node to another through shared blocks (container/send_buffers.h), in
// a request in which the giver alone knows, or only the two of them know, how long a block is.
//
//   short    the block lies in its shared block
//   buffered it lies in the giver's buffer; the giver goes on at once. Published piece by piece, so
//            that the taker copies while the giver does
//   ring     longer than any buffer: through a ring in the buffer of the member that is not the
//            root, the two waiting for each other
//   room     written by the giver where a taker that has come before wants it
#ifndef MPIACTOR_ACTOR_NODE_SHARED_BLOCKS_H_
#define MPIACTOR_ACTOR_NODE_SHARED_BLOCKS_H_

#include <cstdint>

#include "actor/buffers/rank_blocks.h"
#include "actor/container/container.h"
#include "actor/container/send_buffers.h"

namespace mpiactor {

// The shared blocks of one request.
struct SharedBlocks {
  Container& container;
  SendBuffers& send_buffers;
  std::uint64_t sequence;

  SharedBlock& of(int member) const { return send_buffers.shared_block(member, sequence); }
  static bool is_short(std::uint64_t bytes) { return bytes <= SharedBlock::kInlineBytes; }
  bool fits_buffer(std::uint64_t bytes) const { return bytes <= send_buffers.buffer_bytes(); }
};

// Lays block `block` of `from` down for `shared block`: in it where it is short, else in this
// member's buffer from `offset` on. Takes nobody's notice.
void lay_down(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from,
              int block, std::uint64_t offset);
// What is laid down is there for the taker.
void publish(const SharedBlocks& shared_blocks, SharedBlock& shared_block);
// Both, piece by piece.
void give(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from, int block,
          std::uint64_t offset);

// Writes block `block` of `from` where its taker wants it (SharedBlock::room) and publishes that.
// False: the taker has not come, or it cannot be done; the block must go another way.
bool fill_room(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from,
               int block);

// Gives block `block` of `from` through a ring.
class RingGiver {
 public:
  // `own_memory`: the ring lies in this member's buffer, which may have to be waited for; else the
  // taker grants one.
  RingGiver(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from,
            int block, bool own_memory);
  bool done() const { return given_ == pieces_; }
  // Gives the pieces for which there is room; false where there is none.
  bool step();
  // Waits for the taker as often as needed.
  void finish();

 private:
  // Pieces in all that the ring has room for, by this word of the taker's.
  std::uint64_t may_give(std::uint64_t emptied) const;

  SharedBlocks shared_blocks_;
  SharedBlock* shared_block_;
  RankBlocks* from_;
  int block_;
  bool own_memory_;
  std::uint64_t pieces_;
  std::uint64_t given_ = 0;
};

// Takes what is in a shared block into block `block` of `to`, of which `capacity` bytes are written
// at most.
class SharedBlockTaker {
 public:
  SharedBlockTaker(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& to,
                   int block, std::uint64_t capacity)
      : shared_blocks_(shared_blocks),
        shared_block_(&shared_block),
        to_(&to),
        block_(block),
        capacity_(capacity) {}

  bool done() const { return done_; }
  bool is_truncated() const { return shared_block_->bytes > capacity_; }
  // Takes what is there; true where there was anything.
  bool step();
  // Waits for the giver as often as needed.
  void finish();

 private:
  void write(std::uint64_t offset, std::uint64_t bytes, const std::byte* from);
  void grant_memory();
  void take_pieces(std::uint64_t there);

  SharedBlocks shared_blocks_;
  SharedBlock* shared_block_;
  RankBlocks* to_;
  int block_;
  std::uint64_t capacity_;
  bool opened_ = false;
  bool done_ = false;
  const std::byte* ring_ = nullptr;
  std::uint64_t taken_ = 0;  // pieces
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_SHARED_BLOCKS_H_
