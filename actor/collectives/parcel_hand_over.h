// Long blocks in parcels (parcels.h) by single copy: the giver says where a block is, and its taker
// reads it there if it comes in time. What nobody has claimed in the time that staging would cost
// the giver claims itself; it goes through a room or a pipe as others do.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_PARCEL_HAND_OVER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_PARCEL_HAND_OVER_H_

#include <cstdint>
#include <vector>

#include "actor/collectives/parcels.h"
#include "actor/collectives/rank_blocks.h"
#include "actor/container/outbox.h"

namespace mpiactor {

// The giver's side of one request.
class ParcelHandOver {
 public:
  ParcelHandOver(const Parcels& parcels, RankBlocks& from) : parcels_(parcels), from_(from) {}

  // Block `block`, which must be contiguous and stay as it is until close() has returned. Before
  // anything else is said in its parcel in this request.
  void offer(Parcel& parcel, int block);
  bool any_offered() const { return !offered_.empty(); }
  // Waits for takers, as long as is worth it, then for those who still read. Returns the blocks
  // that are left: they are still to be given.
  std::vector<int> close();

 private:
  struct Offered {
    Parcel* parcel;
    int block;
  };
  template <typename State>
  bool none_is(State state) const;

  Parcels parcels_;
  RankBlocks& from_;
  std::vector<Offered> offered_;
};

// Taker: waits until the giver says something in `parcel`, and if that is an offer, reads the
// block, at most `capacity` bytes of it, into block `block` of `to`. False: it comes as others do.
bool take_directly(const Parcels& parcels, Parcel& parcel, RankBlocks& to, int block,
                   std::uint64_t capacity);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_PARCEL_HAND_OVER_H_
