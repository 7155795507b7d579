#include "actor/node/shared_blocks.h"

#include <algorithm>
#include <optional>

#include "actor/container/world.h"
#include "actor/shm/wait.h"

namespace mpiactor {
namespace {

using competition::entries_of;
using competition::stamp;

constexpr std::uint64_t kRingPieces = 4;

// Where there are more ranks than cores, copying at the same time gains nothing.
std::uint64_t buffered_piece_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kPieceBytes = 32 << 10;
  return world()->crowded ? bytes : std::min(bytes, kPieceBytes);
}

std::uint64_t ring_piece_bytes(const SendBuffers& send_buffers) {
  return send_buffers.buffer_bytes() / kRingPieces / 64 * 64;
}

// Pieces are counted modulo this, which a word has room for. Who looks knows at least how many
// there are, but for a few (of a ring), or all that fit into a send buffer.
constexpr std::uint64_t kCountedPieces = 1 << 19;

std::uint64_t piece_stamp(std::uint64_t sequence, std::uint64_t pieces) {
  return stamp(sequence, 1 + pieces % kCountedPieces);
}

// What such a word says, where there are `least` at least; nothing before the request's first one.
std::optional<std::uint64_t> pieces_in(std::uint64_t word, std::uint64_t sequence,
                                       std::uint64_t least) {
  if (word < stamp(sequence, 1)) return std::nullopt;
  return least + (entries_of(word) - 1 - least) % kCountedPieces;
}

std::uint64_t pieces_of(const SharedBlock& shared_block) {
  if (shared_block.kind != SharedBlockKind::kBuffered &&
      shared_block.kind != SharedBlockKind::kRing)
    return 0;
  return (shared_block.bytes - 1) / shared_block.piece_bytes + 1;
}

// SharedBlocks are found by their piece where they lie in a ring.
std::uint64_t place_in(const SharedBlock& shared_block, std::uint64_t piece) {
  const bool is_ring = shared_block.kind == SharedBlockKind::kRing;
  return (is_ring ? piece % kRingPieces : piece) * shared_block.piece_bytes;
}

std::uint64_t piece_length(const SharedBlock& shared_block, std::uint64_t piece) {
  return std::min(shared_block.piece_bytes, shared_block.bytes - piece * shared_block.piece_bytes);
}

void lay_down_piece(const SharedBlock& shared_block, std::uint64_t piece, RankBlocks& from,
                    int block, std::byte* buffer) {
  from.lay_down(block, piece * shared_block.piece_bytes, piece_length(shared_block, piece),
                buffer + place_in(shared_block, piece));
}

// Where it is not in the shared block itself.
void describe(const SharedBlocks& shared_blocks, SharedBlock& shared_block, std::uint64_t bytes,
              std::uint64_t offset) {
  shared_block.bytes = bytes;
  shared_block.kind =
      SharedBlocks::is_short(bytes) ? SharedBlockKind::kInline : SharedBlockKind::kBuffered;
  shared_block.owner = shared_blocks.container.member();
  shared_block.offset = offset;
  shared_block.piece_bytes = buffered_piece_bytes(bytes);
}

}  // namespace

void lay_down(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from,
              int block, std::uint64_t offset) {
  const std::uint64_t bytes = from.bytes(block);
  describe(shared_blocks, shared_block, bytes, offset);
  shared_block.piece_bytes = bytes;
  from.lay_down(block, 0, bytes,
                shared_block.kind == SharedBlockKind::kInline
                    ? shared_block.inline_bytes
                    : shared_blocks.send_buffers.memory(shared_block.owner, offset));
}

void publish(const SharedBlocks& shared_blocks, SharedBlock& shared_block) {
  shared_block.filled.publish(piece_stamp(shared_blocks.sequence, pieces_of(shared_block)));
}

void give(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from, int block,
          std::uint64_t offset) {
  const std::uint64_t bytes = from.bytes(block);
  if (SharedBlocks::is_short(bytes) || buffered_piece_bytes(bytes) == bytes) {
    lay_down(shared_blocks, shared_block, from, block, offset);
    publish(shared_blocks, shared_block);
    return;
  }
  describe(shared_blocks, shared_block, bytes, offset);
  const std::uint64_t pieces = pieces_of(shared_block);
  std::byte* const buffer = shared_blocks.send_buffers.memory(shared_block.owner, offset);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    lay_down_piece(shared_block, piece, from, block, buffer);
    shared_block.filled.publish(piece_stamp(shared_blocks.sequence, piece + 1));
  }
}

bool fill_room(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from,
               int block) {
  const std::byte* const bytes = from.contiguous(block);
  // Where ranks take turns on a core, one that waits keeps the taker from coming.
  const bool waits = !world()->crowded;
  if (!bytes || !shared_block.room.fill(shared_blocks.sequence, bytes, from.bytes(block), waits))
    return false;
  shared_block.kind = SharedBlockKind::kInRoom;
  shared_block.bytes = from.bytes(block);
  publish(shared_blocks, shared_block);
  return true;
}

RingGiver::RingGiver(const SharedBlocks& shared_blocks, SharedBlock& shared_block, RankBlocks& from,
                     int block, bool own_memory)
    : shared_blocks_(shared_blocks),
      shared_block_(&shared_block),
      from_(&from),
      block_(block),
      own_memory_(own_memory) {
  shared_block.kind = SharedBlockKind::kRing;
  shared_block.bytes = from.bytes(block);
  shared_block.piece_bytes = ring_piece_bytes(shared_blocks.send_buffers);
  shared_block.owner = own_memory ? shared_blocks.container.member() : -1;
  if (own_memory) {
    shared_block.offset = shared_blocks.send_buffers.take(shared_blocks.sequence,
                                                          kRingPieces * shared_block.piece_bytes);
  }
  pieces_ = pieces_of(shared_block);
  shared_block.filled.publish(piece_stamp(shared_blocks.sequence, 0));
}

std::uint64_t RingGiver::may_give(std::uint64_t emptied) const {
  const std::uint64_t least = given_ < kRingPieces ? 0 : given_ - kRingPieces;
  if (const auto taken = pieces_in(emptied, shared_blocks_.sequence, least))
    return *taken + kRingPieces;
  return own_memory_ ? kRingPieces : 0;
}

bool RingGiver::step() {
  const std::uint64_t end = std::min(pieces_, may_give(shared_block_->emptied.load()));
  if (given_ >= end) return false;
  std::byte* const buffer =
      own_memory_ ? shared_blocks_.send_buffers.memory(shared_block_->owner, shared_block_->offset)
                  : shared_blocks_.send_buffers.memory(
                        shared_blocks_.container.nodes().member_index(block_),
                        shared_block_->granted_offset);
  while (given_ < end) {
    lay_down_piece(*shared_block_, given_, *from_, block_, buffer);
    shared_block_->filled.publish(piece_stamp(shared_blocks_.sequence, ++given_));
  }
  return true;
}

void RingGiver::finish() {
  while (!done()) {
    if (step()) continue;
    shm::wait_until(shared_block_->emptied, world()->wait,
                    [this](std::uint64_t emptied) { return may_give(emptied) > given_; });
  }
}

void SharedBlockTaker::write(std::uint64_t offset, std::uint64_t bytes, const std::byte* from) {
  if (offset < capacity_) to_->write(block_, offset, std::min(bytes, capacity_ - offset), from);
}

// The giver of a ring may leave it to the taker where the ring lies.
void SharedBlockTaker::grant_memory() {
  SendBuffers& send_buffers = shared_blocks_.send_buffers;
  const int me = shared_blocks_.container.member();
  shared_block_->granted_offset =
      send_buffers.take(shared_blocks_.sequence, kRingPieces * shared_block_->piece_bytes);
  ring_ = send_buffers.memory(me, shared_block_->granted_offset);
  shared_block_->emptied.publish(piece_stamp(shared_blocks_.sequence, 0));
}

void SharedBlockTaker::take_pieces(std::uint64_t there) {
  while (taken_ < there) {
    write(taken_ * shared_block_->piece_bytes, piece_length(*shared_block_, taken_),
          ring_ + place_in(*shared_block_, taken_));
    ++taken_;
    if (shared_block_->kind == SharedBlockKind::kRing) {
      shared_block_->emptied.publish(piece_stamp(shared_blocks_.sequence, taken_));
    }
  }
}

bool SharedBlockTaker::step() {
  const std::uint64_t filled = shared_block_->filled.load();
  const auto there = pieces_in(filled, shared_blocks_.sequence, taken_);
  if (done_ || !there) return false;
  const bool opens = !opened_;
  if (opens) {
    opened_ = true;
    if (shared_block_->kind == SharedBlockKind::kInline)
      write(0, shared_block_->bytes, shared_block_->inline_bytes);
    if (pieces_of(*shared_block_) != 0) {
      if (shared_block_->owner < 0) {
        grant_memory();
      } else {
        ring_ = shared_blocks_.send_buffers.memory(shared_block_->owner, shared_block_->offset);
      }
    }
  }
  const bool any = opens || taken_ < *there;
  take_pieces(*there);
  done_ = taken_ == pieces_of(*shared_block_);
  return any;
}

void SharedBlockTaker::finish() {
  while (!done_) {
    if (step()) continue;
    shm::wait_until(shared_block_->filled, world()->wait, [this](std::uint64_t filled) {
      const auto there = pieces_in(filled, shared_blocks_.sequence, taken_);
      return there && (!opened_ || *there > taken_);
    });
  }
}

}  // namespace mpiactor
