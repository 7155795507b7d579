// Gatherv: the root alone knows all sizes, the others their own. Members lay their blocks down and
// go on. On the root's node the root takes them, each from its parcel; on another node the last
// member to arrive sends them to the root, after a letter that says how long they are.
//
// A block that is longer than a member's room goes through a pipe on the root's node. From another
// node blocks of some sizes are sent by their owners (letter.h). Each call is one request on every
// node, whatever the sizes, so that sequence numbers stay equal everywhere.
#include <cstring>
#include <utility>
#include <vector>

#include "actor/collectives/gatherv_root.h"
#include "actor/collectives/hybrid.h"
#include "actor/collectives/letter.h"
#include "actor/collectives/mail.h"
#include "actor/collectives/node_exchange.h"
#include "actor/collectives/parcels.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

// All but the root.
class GatherGiver {
 public:
  GatherGiver(Container& container, Outbox& outbox, RankBlocks& mine, int root)
      : container_(container),
        parcels_{container, outbox, container.next_sequence()},
        parcel_(parcels_.of(container.member())),
        mine_(mine),
        root_(root) {}

  void run() {
    container_.queue().enter(parcels_.sequence);
    if (container_.node() == container_.nodes().node_of(root_)) {
      give_to_root();
    } else {
      give_to_node();
    }
    container_.queue().leave(parcels_.sequence);
  }

 private:
  std::uint64_t bytes() const { return mine_.bytes(0); }
  std::uint64_t take_room() {
    return Parcels::is_short(bytes()) ? 0 : parcels_.outbox.take_room(parcels_.sequence, bytes());
  }
  void give_to_root() {
    if (parcels_.fits_room(bytes())) {
      give(parcels_, parcel_, mine_, 0, take_room());
      arrive_at_root();
    } else {
      PipeGiver pipe(parcels_, parcel_, mine_, 0, true);
      arrive_at_root();
      pipe.finish();
    }
  }
  void arrive_at_root() {
    const auto givers = static_cast<std::uint64_t>(container_.members()) - 1;
    if (world()->crowded) container_.queue().arrive(parcels_.sequence, givers);
  }
  void give_to_node();
  void send_own(Mail& mail);
  void send_nodes(Mail& mail);

  Container& container_;
  Parcels parcels_;
  Parcel& parcel_;
  RankBlocks& mine_;
  int root_;
};

void GatherGiver::give_to_node() {
  if (travels_alone(bytes(), parcels_.outbox.room_bytes(), !world()->settings.never_worse)) {
    parcel_.kind = ParcelKind::kNetwork;
    parcel_.bytes = bytes();
  } else {
    lay_down(parcels_, parcel_, mine_, 0, take_room());
  }
  const auto members = static_cast<std::uint64_t>(container_.members());
  const bool last = container_.queue().arrive(parcels_.sequence, members) == members;
  Mail mail(container_, parcels_.sequence);
  if (last) send_nodes(mail);
  if (parcel_.kind == ParcelKind::kNetwork) send_own(mail);
  work_until([&] { return mail.all_done(); }, [&] { return mail.progress(); });
}

void GatherGiver::send_own(Mail& mail) {
  if (const std::byte* const packed = mine_.contiguous(0)) {
    mail.send(packed, bytes(), root_, MailKind::kOwnBlock, container_.must_wait_for_receiver());
    return;
  }
  std::vector<std::byte> packed(bytes());
  mine_.read(0, 0, bytes(), packed.data());
  mail.send(std::move(packed), root_, MailKind::kOwnBlock, container_.must_wait_for_receiver());
}

// Everything that lies on this node. Nothing where nobody gives anything.
void GatherGiver::send_nodes(Mail& mail) {
  std::uint64_t total = 0;
  std::uint64_t in_letter = static_cast<std::uint64_t>(container_.members()) * sizeof total;
  for (int member = 0; member < container_.members(); ++member) {
    const std::uint64_t bytes = parcels_.of(member).bytes;
    total += bytes;
    if (bytes <= kLetterBlockBytes) in_letter += bytes;
  }
  if (total == 0) return;
  ++trace::counters().led;
  trace::led();
  const auto lies_at = [&](const Parcel& parcel) {
    return parcel.kind == ParcelKind::kInline ? parcel.inline_bytes
                                              : parcels_.outbox.room(parcel.owner, parcel.offset);
  };
  LetterWriter letter(in_letter);
  for (int member = 0; member < container_.members(); ++member) {
    letter.number(parcels_.of(member).bytes);
  }
  for (int member = 0; member < container_.members(); ++member) {
    const Parcel& parcel = parcels_.of(member);
    if (parcel.bytes == 0 || parcel.bytes > kLetterBlockBytes) continue;
    std::memcpy(letter.room(parcel.bytes), lies_at(parcel), parcel.bytes);
  }
  mail.send(letter.take(), root_, MailKind::kLetter, container_.must_wait_for_receiver());
  for (int member = 0; member < container_.members(); ++member) {
    const Parcel& parcel = parcels_.of(member);
    if (parcel.bytes <= kLetterBlockBytes || parcel.kind == ParcelKind::kNetwork) continue;
    mail.send(lies_at(parcel), parcel.bytes, root_, MailKind::kForwardedBlock);
  }
}

}  // namespace

VariableOutcome hybrid_gatherv(Container& container, MPI_Comm comm, RankBlocks* mine,
                               RankBlocks* all, int root) {
  Outbox* const outbox = container.outbox(comm);
  if (!outbox) return VariableOutcome::kNotDone;
  if (container.rank() != root) {
    GatherGiver(container, *outbox, *mine, root).run();
    return VariableOutcome::kDone;
  }
  return collect_variable(container, *outbox, mine, *all) ? VariableOutcome::kTruncated
                                                          : VariableOutcome::kDone;
}

}  // namespace mpiactor
