// Scatterv: the root alone knows all sizes, the others their own. On its own node the root lays
// every member's block down for it. On another node the first member to arrive that takes anything
// leads: it announces itself to the root, gets the blocks of the node in one letter and lays them
// down for the others. Who takes nothing goes on at once and waits for nobody.
//
// Where a node takes a long block, or nobody there has announced himself in time, the root sends
// each member its own block, and the leader tells the others so. Each call is one request on every
// node, whatever the sizes.
#include <algorithm>
#include <optional>
#include <vector>

#include "actor/collectives/block_receiver.h"
#include "actor/collectives/hybrid.h"
#include "actor/collectives/letter.h"
#include "actor/collectives/mail.h"
#include "actor/collectives/parcel_hand_over.h"
#include "actor/collectives/parcels.h"
#include "actor/collectives/scatterv_root.h"
#include "actor/container/progress.h"
#include "actor/shm/copy.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"
#include "inter/introductions.h"

namespace mpiactor {
namespace {

class ScatterTaker {
 public:
  ScatterTaker(Container& container, Outbox& outbox, RankBlocks& mine, int root)
      : container_(container),
        parcels_{container, outbox, container.next_sequence()},
        mine_(mine),
        root_(root),
        leaders_(container.nodes(), root, container.policy(), RootsNode::kRoot),
        is_static_(!container.is_competitive()),
        mail_(container, parcels_.sequence) {}

  bool run();

 private:
  bool is_on_roots_node() const { return container_.node() == container_.nodes().node_of(root_); }
  bool leads();
  void lead();
  std::vector<std::byte> receive_letter();
  void hand_out(LetterReader letter);
  void tell_to_receive();
  void take_from_parcel();
  void take_own(LetterReader letter);
  void write(std::uint64_t bytes, const std::byte* from) {
    mine_.write(0, 0, std::min(bytes, mine_.bytes(0)), from);
    truncated_ |= bytes > mine_.bytes(0);
  }
  void wait_for_mail() {
    work_until([&] { return mail_.all_done(); }, [&] { return mail_.progress(); });
  }

  Container& container_;
  Parcels parcels_;
  RankBlocks& mine_;
  int root_;
  RequestLeaders leaders_;
  bool is_static_;
  Mail mail_;
  bool truncated_ = false;
};

// Whoever takes something competes; with static leaders the lowest member always leads.
bool ScatterTaker::leads() {
  competition::RequestQueue& queue = container_.queue();
  if (is_static_) {
    if (container_.member() != 0) return false;
    queue.lead(parcels_.sequence);
    return true;
  }
  return mine_.bytes(0) != 0 && queue.compete(parcels_.sequence) == competition::Role::kLeader;
}

std::vector<std::byte> ScatterTaker::receive_letter() {
  std::optional<Mail::Letter> letter;
  work_until([&] { return letter.has_value(); },
             [&] {
               letter = mail_.find(MailKind::kLetter, root_);
               return letter.has_value();
             });
  std::vector<std::byte> bytes(letter->bytes);
  mail_.receive(*letter, bytes.data());
  wait_for_mail();
  return bytes;
}

void ScatterTaker::lead() {
  ++trace::counters().led;
  trace::led();
  trace::algorithm("direct");
  inter::Introductions introductions(container_.inter_comm(), container_.inter_ranks(),
                                     container_.message_number(parcels_.sequence));
  introductions.announce({container_.node(), container_.rank(), 0}, leaders_,
                         container_.nodes().node_of(root_));
  const std::vector<std::byte> letter = receive_letter();
  trace::first_byte();
  LetterReader reader(letter.data());
  if (reader.number() == kForNode) {
    hand_out(reader);
  } else {
    tell_to_receive();
    take_own(reader);
  }
}

// The rest of a letter for the node.
void ScatterTaker::hand_out(LetterReader letter) {
  const int me = container_.member();
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(container_.members()));
  std::uint64_t room = 0;
  for (int member = 0; member < container_.members(); ++member) {
    const std::uint64_t bytes = sizes[static_cast<std::size_t>(member)] = letter.number();
    if (member != me && !Parcels::is_short(bytes)) room += in_room(bytes);
  }
  std::uint64_t offset = room == 0 ? 0 : parcels_.outbox.take_room(parcels_.sequence, room);
  const std::byte* own = nullptr;
  for (int member = 0; member < container_.members(); ++member) {
    const std::uint64_t bytes = sizes[static_cast<std::size_t>(member)];
    const std::byte* const block = letter.bytes(bytes);
    if (member == me) {
      own = block;
      continue;
    }
    Parcel& parcel = parcels_.of(member);
    std::byte* const to = lay_out(parcels_, parcel, bytes, offset);
    if (bytes != 0) shm::copy_to_shared(to, block, bytes);
    if (!Parcels::is_short(bytes)) offset += in_room(bytes);
    publish(parcels_, parcel);
  }
  write(sizes[static_cast<std::size_t>(me)], own);
}

void ScatterTaker::tell_to_receive() {
  for (int member = 0; member < container_.members(); ++member) {
    if (member == container_.member()) continue;
    Parcel& parcel = parcels_.of(member);
    parcel.kind = ParcelKind::kNetwork;
    parcel.bytes = 0;
    publish(parcels_, parcel);
  }
}

void ScatterTaker::take_from_parcel() {
  Parcel& parcel = parcels_.of(container_.member());
  if (container_.single_copy() && take_directly(parcels_, parcel, mine_, 0, mine_.bytes(0))) {
    truncated_ |= parcel.bytes > mine_.bytes(0);
    return;
  }
  ParcelTaker taker(parcels_, parcel, mine_, 0, mine_.bytes(0));
  taker.finish();
  truncated_ |= taker.is_truncated();
  if (!taker.comes_by_network()) return;
  const std::vector<std::byte> letter = receive_letter();
  LetterReader reader(letter.data());
  reader.number();
  take_own(reader);
}

// The rest of a letter for this member alone.
void ScatterTaker::take_own(LetterReader letter) {
  const std::uint64_t bytes = letter.number();
  if (bytes <= kOwnLetterBlockBytes) {
    write(bytes, letter.bytes(bytes));
    return;
  }
  BlockReceiver receiver(mail_, mine_);
  receiver.expect(0, root_, MailKind::kOwnBlock);
  work_until([&] { return receiver.done(); },
             [&] {
               const bool any = mail_.progress();
               return receiver.step() || any;
             });
  truncated_ |= receiver.any_truncated();
}

bool ScatterTaker::run() {
  const bool takes = mine_.bytes(0) != 0;
  if (is_on_roots_node()) {
    if (takes) take_from_parcel();
  } else if (leads()) {
    lead();
  } else if (takes) {
    take_from_parcel();
  }
  trace::last_byte();
  container_.queue().leave(parcels_.sequence);
  mine_.finish();
  return truncated_;
}

}  // namespace

VariableOutcome hybrid_scatterv(Container& container, MPI_Comm comm, RankBlocks* all,
                                RankBlocks* mine, int root) {
  Outbox* const outbox = container.outbox(comm);
  if (!outbox) return VariableOutcome::kNotDone;
  bool truncated = false;
  if (container.rank() == root) {
    truncated = give_variable(container, *outbox, *all, mine);
    if (mine) mine->finish();
  } else {
    truncated = ScatterTaker(container, *outbox, *mine, root).run();
  }
  return truncated ? VariableOutcome::kTruncated : VariableOutcome::kDone;
}

}  // namespace mpiactor
