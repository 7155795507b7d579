#include "actor/collectives/direct_exchange.h"

#include "actor/node/direct_reads.h"
#include "actor/trace/counters.h"

namespace mpiactor {
namespace {

// Calls visit(rank, member) for the others, beginning after this one: no two members begin with the
// same.
template <typename Visit>
void for_others(const Container& container, Visit visit) {
  const inter::RankList ranks = container.nodes().members(container.node());
  for (int step = 1; step < container.members(); ++step) {
    const int member = (container.member() + step) % container.members();
    visit(ranks[static_cast<std::size_t>(member)], member);
  }
}

bool finish(DirectReads& reads) {
  if (!reads.finish()) return false;
  ++trace::counters().single_copy;
  return true;
}

}  // namespace

bool direct_allgather(Container& container, RankBlocks& mine, RankBlocks& all) {
  const int me = container.rank();
  const std::byte* const given = mine.contiguous(0);
  std::byte* const own = all.contiguous(me);
  DirectReads reads(container);
  // Whose block is empty may give no buffer at all, which the others do not look at.
  static const std::byte nothing{};
  reads.offer(own == nullptr ? nullptr : all.bytes(me) == 0 ? &nothing : given);
  if (own != nullptr && given != nullptr && own != given) copy_block(all, me, mine, 0);
  if (!reads.all_offered()) return false;
  for_others(container, [&](int rank, int member) {
    reads.read(member, 0, all.bytes(rank), all.contiguous(rank));
  });
  return finish(reads);
}

bool direct_alltoall(Container& container, RankBlocks& send, RankBlocks& recv) {
  const int me = container.rank();
  const std::uint64_t bytes = recv.bytes(0);
  const bool in_place = send.address(0) == recv.address(0);
  const bool readable = !in_place && recv.contiguous(0) != nullptr;
  DirectReads reads(container);
  reads.offer(readable ? send.contiguous(0) : nullptr);
  if (readable && send.contiguous(0)) copy_block(recv, me, send, me);
  if (!reads.all_offered()) return false;
  for_others(container, [&](int rank, int member) {
    reads.read(member, static_cast<std::uint64_t>(me) * bytes, bytes, recv.contiguous(rank));
  });
  return finish(reads);
}

}  // namespace mpiactor
