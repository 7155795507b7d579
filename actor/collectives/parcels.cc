#include "actor/collectives/parcels.h"

#include <algorithm>

#include "actor/container/world.h"
#include "actor/shm/wait.h"

namespace mpiactor {
namespace {

using competition::entries_of;
using competition::stamp;

constexpr std::uint64_t kRingPieces = 4;

// Where there are more ranks than cores, copying at the same time gains nothing.
std::uint64_t room_piece_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kPieceBytes = 32 << 10;
  return world()->crowded ? bytes : std::min(bytes, kPieceBytes);
}

std::uint64_t ring_piece_bytes(const Outbox& outbox) {
  return outbox.room_bytes() / kRingPieces / 64 * 64;
}

std::uint64_t pieces_of(const Parcel& parcel) {
  if (parcel.kind == ParcelKind::kInline || parcel.kind == ParcelKind::kNetwork) return 0;
  return (parcel.bytes - 1) / parcel.piece_bytes + 1;
}

// Parcels are found by their piece where they lie in a ring.
std::uint64_t place_in(const Parcel& parcel, std::uint64_t piece) {
  const bool is_ring = parcel.kind == ParcelKind::kPipe;
  return (is_ring ? piece % kRingPieces : piece) * parcel.piece_bytes;
}

std::uint64_t piece_length(const Parcel& parcel, std::uint64_t piece) {
  return std::min(parcel.piece_bytes, parcel.bytes - piece * parcel.piece_bytes);
}

void lay_down_piece(const Parcel& parcel, std::uint64_t piece, RankBlocks& from, int block,
                    std::byte* room) {
  from.lay_down(block, piece * parcel.piece_bytes, piece_length(parcel, piece),
                room + place_in(parcel, piece));
}

// Where it is not in the parcel itself.
void describe(const Parcels& parcels, Parcel& parcel, std::uint64_t bytes, std::uint64_t offset) {
  parcel.bytes = bytes;
  parcel.kind = Parcels::is_short(bytes) ? ParcelKind::kInline : ParcelKind::kRoom;
  parcel.owner = parcels.container.member();
  parcel.offset = offset;
  parcel.piece_bytes = room_piece_bytes(bytes);
}

}  // namespace

void lay_down(const Parcels& parcels, Parcel& parcel, RankBlocks& from, int block,
              std::uint64_t offset) {
  const std::uint64_t bytes = from.bytes(block);
  describe(parcels, parcel, bytes, offset);
  parcel.piece_bytes = bytes;
  from.lay_down(block, 0, bytes,
                parcel.kind == ParcelKind::kInline ? parcel.inline_bytes
                                                   : parcels.outbox.room(parcel.owner, offset));
}

void publish(const Parcels& parcels, Parcel& parcel) {
  parcel.filled.publish(stamp(parcels.sequence, 1 + pieces_of(parcel)));
}

void give(const Parcels& parcels, Parcel& parcel, RankBlocks& from, int block,
          std::uint64_t offset) {
  const std::uint64_t bytes = from.bytes(block);
  if (Parcels::is_short(bytes) || room_piece_bytes(bytes) == bytes) {
    lay_down(parcels, parcel, from, block, offset);
    publish(parcels, parcel);
    return;
  }
  describe(parcels, parcel, bytes, offset);
  const std::uint64_t pieces = pieces_of(parcel);
  std::byte* const room = parcels.outbox.room(parcel.owner, offset);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    lay_down_piece(parcel, piece, from, block, room);
    parcel.filled.publish(stamp(parcels.sequence, 2 + piece));
  }
}

PipeGiver::PipeGiver(const Parcels& parcels, Parcel& parcel, RankBlocks& from, int block,
                     bool own_room)
    : parcels_(parcels), parcel_(&parcel), from_(&from), block_(block), own_room_(own_room) {
  parcel.kind = ParcelKind::kPipe;
  parcel.bytes = from.bytes(block);
  parcel.piece_bytes = ring_piece_bytes(parcels.outbox);
  parcel.owner = own_room ? parcels.container.member() : -1;
  if (own_room) {
    parcel.offset = parcels.outbox.take_room(parcels.sequence, kRingPieces * parcel.piece_bytes);
  }
  pieces_ = pieces_of(parcel);
  parcel.filled.publish(stamp(parcels.sequence, 1));
}

// Pieces in all that the ring has room for by now.
std::uint64_t PipeGiver::may_give() const {
  const std::uint64_t emptied = parcel_->emptied.load();
  if (emptied >= stamp(parcels_.sequence, 1)) return entries_of(emptied) - 1 + kRingPieces;
  return own_room_ ? kRingPieces : 0;
}

bool PipeGiver::step() {
  const std::uint64_t end = std::min(pieces_, may_give());
  if (given_ >= end) return false;
  std::byte* const room =
      own_room_ ? parcels_.outbox.room(parcel_->owner, parcel_->offset)
                : parcels_.outbox.room(parcels_.container.nodes().member_index(block_),
                                       parcel_->granted_offset);
  while (given_ < end) {
    lay_down_piece(*parcel_, given_, *from_, block_, room);
    parcel_->filled.publish(stamp(parcels_.sequence, 1 + ++given_));
  }
  return true;
}

void PipeGiver::finish() {
  while (!done()) {
    if (step()) continue;
    const std::uint64_t taken = given_ < kRingPieces ? 0 : given_ - kRingPieces + 1;
    shm::wait_until(parcel_->emptied, world()->wait, [=, this](std::uint64_t emptied) {
      return emptied >= stamp(parcels_.sequence, 1 + taken);
    });
  }
}

void ParcelTaker::write(std::uint64_t offset, std::uint64_t bytes, const std::byte* from) {
  if (offset < capacity_) to_->write(block_, offset, std::min(bytes, capacity_ - offset), from);
}

// The giver of a pipe may leave it to the taker where the ring lies.
void ParcelTaker::grant_room() {
  Outbox& outbox = parcels_.outbox;
  const int me = parcels_.container.member();
  parcel_->granted_offset = outbox.take_room(parcels_.sequence, kRingPieces * parcel_->piece_bytes);
  ring_ = outbox.room(me, parcel_->granted_offset);
  parcel_->emptied.publish(stamp(parcels_.sequence, 1));
}

void ParcelTaker::take_pieces(std::uint64_t there) {
  while (taken_ < there) {
    write(taken_ * parcel_->piece_bytes, piece_length(*parcel_, taken_),
          ring_ + place_in(*parcel_, taken_));
    ++taken_;
    if (parcel_->kind == ParcelKind::kPipe) {
      parcel_->emptied.publish(stamp(parcels_.sequence, 1 + taken_));
    }
  }
}

bool ParcelTaker::step() {
  const std::uint64_t filled = parcel_->filled.load();
  if (done_ || filled < stamp(parcels_.sequence, 1)) return false;
  const bool opens = !opened_;
  if (opens) {
    opened_ = true;
    if (parcel_->kind == ParcelKind::kInline) write(0, parcel_->bytes, parcel_->inline_bytes);
    if (pieces_of(*parcel_) != 0) {
      if (parcel_->owner < 0) {
        grant_room();
      } else {
        ring_ = parcels_.outbox.room(parcel_->owner, parcel_->offset);
      }
    }
  }
  const std::uint64_t there = entries_of(filled) - 1;
  const bool any = opens || taken_ < there;
  take_pieces(there);
  done_ = taken_ == pieces_of(*parcel_);
  return any;
}

void ParcelTaker::finish() {
  while (!done_) {
    if (step()) continue;
    const std::uint64_t wanted = stamp(parcels_.sequence, opened_ ? 2 + taken_ : 1);
    shm::wait_until(parcel_->filled, world()->wait,
                    [=](std::uint64_t filled) { return filled >= wanted; });
  }
}

}  // namespace mpiactor
