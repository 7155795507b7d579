// Blocks from one member of a node to another through parcels (container/outbox.h), in a request in
// which the giver alone knows, or only the two of them know, how long a block is.
//
//   short    the block lies in its parcel
//   in room  it lies in the giver's room; the giver goes on at once. Published piece by piece, so
//            that the taker copies while the giver does
//   pipe     longer than any room: through a ring in the room of the member that is not the root,
//            the two waiting for each other
#ifndef MPIACTOR_ACTOR_COLLECTIVES_PARCELS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_PARCELS_H_

#include <cstdint>

#include "actor/collectives/rank_blocks.h"
#include "actor/container/container.h"
#include "actor/container/outbox.h"

namespace mpiactor {

// The parcels of one request.
struct Parcels {
  Container& container;
  Outbox& outbox;
  std::uint64_t sequence;

  Parcel& of(int member) const { return outbox.parcel(member, sequence); }
  static bool is_short(std::uint64_t bytes) { return bytes <= Parcel::kInlineBytes; }
  bool fits_room(std::uint64_t bytes) const { return bytes <= outbox.room_bytes(); }
};

// Lays block `block` of `from` down for `parcel`: in it where it is short, else in this member's
// room from `offset` on. Takes nobody's notice.
void lay_down(const Parcels& parcels, Parcel& parcel, RankBlocks& from, int block,
              std::uint64_t offset);
// What is laid down is there for the taker.
void publish(const Parcels& parcels, Parcel& parcel);
// Both, piece by piece.
void give(const Parcels& parcels, Parcel& parcel, RankBlocks& from, int block,
          std::uint64_t offset);

// Gives block `block` of `from` through a pipe.
class PipeGiver {
 public:
  // `own_room`: the ring lies in this member's room, which may have to be waited for; else the
  // taker grants one.
  PipeGiver(const Parcels& parcels, Parcel& parcel, RankBlocks& from, int block, bool own_room);
  bool done() const { return given_ == pieces_; }
  // Gives the pieces for which there is room; false where there is none.
  bool step();
  // Waits for the taker as often as needed.
  void finish();

 private:
  std::uint64_t may_give() const;

  Parcels parcels_;
  Parcel* parcel_;
  RankBlocks* from_;
  int block_;
  bool own_room_;
  std::uint64_t pieces_;
  std::uint64_t given_ = 0;
};

// Takes what is in a parcel into block `block` of `to`, of which `capacity` bytes are written at
// most.
class ParcelTaker {
 public:
  ParcelTaker(const Parcels& parcels, Parcel& parcel, RankBlocks& to, int block,
              std::uint64_t capacity)
      : parcels_(parcels), parcel_(&parcel), to_(&to), block_(block), capacity_(capacity) {}

  bool done() const { return done_; }
  bool is_truncated() const { return parcel_->bytes > capacity_; }
  // Takes what is there; true where there was anything.
  bool step();
  // Waits for the giver as often as needed.
  void finish();

 private:
  void write(std::uint64_t offset, std::uint64_t bytes, const std::byte* from);
  void grant_room();
  void take_pieces(std::uint64_t there);

  Parcels parcels_;
  Parcel* parcel_;
  RankBlocks* to_;
  int block_;
  std::uint64_t capacity_;
  bool opened_ = false;
  bool done_ = false;
  const std::byte* ring_ = nullptr;
  std::uint64_t taken_ = 0;  // pieces
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_PARCELS_H_
