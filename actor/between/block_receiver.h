// Blocks that come from other nodes in messages of their own.
#ifndef MPIACTOR_ACTOR_BETWEEN_BLOCK_RECEIVER_H_
#define MPIACTOR_ACTOR_BETWEEN_BLOCK_RECEIVER_H_

#include <cstddef>
#include <list>
#include <optional>
#include <vector>

#include "actor/between/point_to_point.h"
#include "actor/buffers/rank_blocks.h"

namespace mpiactor {

class BlockReceiver {
 public:
  // `to`, finished by the caller, and `p2p` must outlive it.
  BlockReceiver(PointToPoint& p2p, RankBlocks& to)
      : p2p_(p2p), to_(to), kinds_(static_cast<std::size_t>(to.ranks())) {}

  // Block `block` of `to` comes from `rank`. Replaces what was expected of another kind; nothing
  // where it is expected so or has come.
  void expect(int block, int rank, PointToPoint::Kind kind);
  // It does not come after all.
  void give_up(int block);

  // Takes what has come; true where anything did.
  bool step();
  bool done() const { return expected_.empty(); }
  bool any_truncated() const { return p2p_.any_truncated(); }

 private:
  struct Expected {
    int block;
    PointToPoint::Id id;
    std::vector<std::byte> packed;  // where it cannot be received in place
  };
  bool finish(const Expected& expected);

  PointToPoint& p2p_;
  RankBlocks& to_;
  std::vector<std::optional<PointToPoint::Kind>>
      kinds_;  // of each block that is expected or has come
  std::list<Expected> expected_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_BLOCK_RECEIVER_H_
