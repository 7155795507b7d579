// Blocks that come from other nodes in messages of their own. A message's tag holds (a remainder
// of) its size: so a receive that is posted beforehand can only meet a block of the size that it is
// meant for, and one of another size, from a wrong program, is cut off here. (The MPI library ends
// the job where a message is longer than its receive.)
#ifndef MPIACTOR_ACTOR_COLLECTIVES_BLOCK_RECEIVER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_BLOCK_RECEIVER_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "actor/collectives/mail.h"
#include "actor/collectives/rank_blocks.h"

namespace mpiactor {

class BlockReceiver {
 public:
  // `to`, finished by the caller, and `mail` must outlive it.
  BlockReceiver(Mail& mail, RankBlocks& to) : mail_(mail), to_(to) {}

  // Block `block` of `to` comes from `rank`, as long as there is room.
  void expect(int block, int rank, MailKind kind);
  // The same, when the sender has said that it is longer or shorter than that, or was not expected
  // at all; replaces what was expected.
  void expect_exactly(int block, int rank, MailKind kind, std::uint64_t bytes);
  // It does not come after all.
  void give_up(int block);

  // Takes what has come; true where anything did.
  bool step();
  bool done() const { return expected_.empty(); }
  bool any_truncated() const { return truncated_; }

 private:
  struct Expected {
    int block;
    int rank;
    MailKind kind;
    std::uint64_t bytes;
    bool is_posted;
    Mail::Id id;
    std::vector<std::byte> packed;  // where it cannot be received in place
  };
  bool finish(Expected& expected);

  Mail& mail_;
  RankBlocks& to_;
  std::list<Expected> expected_;
  bool truncated_ = false;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_BLOCK_RECEIVER_H_
