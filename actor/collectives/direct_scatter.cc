#include "actor/collectives/direct_scatter.h"

#include "actor/collectives/hand_over.h"
#include "actor/trace/counters.h"

namespace mpiactor {
namespace {

// Which blocks are left, as far as this member knows.
template <typename IsLeft>
LeftBlocks left_blocks(const Container& container, bool any, IsLeft is_left) {
  if (!any) ++trace::counters().single_copy;
  LeftBlocks left{.any = any,
                  .of_member = std::vector<bool>(static_cast<std::size_t>(container.members()))};
  for (int member = 0; any && member < container.members(); ++member) {
    left.of_member[static_cast<std::size_t>(member)] = is_left(member);
  }
  return left;
}

class DirectScatter {
 public:
  DirectScatter(Container& container, std::uint64_t bytes)
      : container_(container),
        bytes_(bytes),
        sequence_(container.next_sequence()),
        hand_over_(container, sequence_) {
    if (container_.drops().size() != 0) container_.drops().sweep();
  }

  LeftBlocks give(RankBlocks& all, RankBlocks* mine);
  LeftBlocks take(RankBlocks& mine, int root);

 private:
  // All others' blocks: how long to wait for late ranks.
  std::uint64_t all_bytes() const {
    return bytes_ * static_cast<std::uint64_t>(container_.members() - 1);
  }

  Container& container_;
  std::uint64_t bytes_;
  std::uint64_t sequence_;
  HandOver hand_over_;
};

LeftBlocks DirectScatter::give(RankBlocks& all, RankBlocks* mine) {
  container_.queue().lead(sequence_);
  hand_over_.offer(all.contiguous(0));
  if (mine) copy_block(*mine, 0, all, container_.rank());
  const bool any_left = hand_over_.close(all_bytes());
  const LeftBlocks left = left_blocks(container_, any_left, [&](int member) {
    return member != container_.member() && hand_over_.is_left(member);
  });
  container_.queue().leave(sequence_);
  return left;
}

LeftBlocks DirectScatter::take(RankBlocks& mine, int root) {
  const std::uint64_t offset = static_cast<std::uint64_t>(container_.rank()) * bytes_;
  const bool taken =
      hand_over_.take(container_.nodes().member_index(root), offset, bytes_, mine.contiguous(0));
  const LeftBlocks left = left_blocks(container_, hand_over_.any_left(taken), [&](int member) {
    return member == container_.member() && !taken;
  });
  container_.queue().leave(sequence_);
  return left;
}

}  // namespace

LeftBlocks direct_scatter(Container& container, std::uint64_t bytes, RankBlocks* all,
                          RankBlocks* mine, int root) {
  DirectScatter call(container, bytes);
  return container.rank() == root ? call.give(*all, mine) : call.take(*mine, root);
}

}  // namespace mpiactor
