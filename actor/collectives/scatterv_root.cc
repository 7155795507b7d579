#include "actor/collectives/scatterv_root.h"

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "actor/collectives/letter.h"
#include "actor/collectives/mail.h"
#include "actor/collectives/operation.h"
#include "actor/collectives/parcel_hand_over.h"
#include "actor/collectives/parcels.h"
#include "actor/container/progress.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"
#include "inter/introductions.h"

namespace mpiactor {
namespace {

class ScatterRoot {
 public:
  ScatterRoot(Container& container, Outbox& outbox, RankBlocks& all)
      : container_(container),
        nodes_(container.nodes()),
        parcels_{container, outbox, container.next_sequence()},
        all_(all),
        is_static_(!container.is_competitive()),
        mail_(container, parcels_.sequence),
        introductions_(container.inter_comm(), container.inter_ranks(),
                       container.message_number(parcels_.sequence)),
        hand_over_(parcels_, all) {}

  bool run(RankBlocks* mine);

 private:
  // Another node whose leader may still announce itself.
  struct Waiting {
    int node;
    int leader = -1;
  };
  static constexpr std::uint64_t kNoRoom = ~std::uint64_t{0};

  void take_rooms(const inter::RankList& members);
  void give_on_node();
  void give_staged(int rank);
  void find_nodes();
  bool serve(const Waiting& node);
  void send_to_leader(int node, int leader);
  void send_to_members(int node);
  bool work();

  Container& container_;
  const NodeMap& nodes_;
  Parcels parcels_;
  RankBlocks& all_;
  bool is_static_;
  Mail mail_;
  inter::Introductions introductions_;
  ParcelHandOver hand_over_;
  std::vector<std::uint64_t> room_of_;  // each member's; empty: no block goes to a room
  std::list<PipeGiver> pipes_;
  std::list<Waiting> waiting_;
  std::uint64_t deadline_ns_ = 0;
};

// Blocks that are handed over have their room, too: they may be left. All is taken at once, since a
// second time in one request would wait for the first. Short blocks need none, and no memory for
// what is known of it.
void ScatterRoot::take_rooms(const inter::RankList& members) {
  std::uint64_t used = 0;
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::uint64_t bytes = all_.bytes(members[member]);
    if (members[member] == container_.rank() || Parcels::is_short(bytes)) continue;
    if (!parcels_.fits_room(used + in_room(bytes))) continue;
    if (room_of_.empty()) room_of_.assign(members.size(), kNoRoom);
    room_of_[member] = used;
    used += in_room(bytes);
  }
  if (used == 0) return;
  const std::uint64_t offset = parcels_.outbox.take_room(parcels_.sequence, used);
  for (std::uint64_t& room : room_of_) {
    if (room != kNoRoom) room += offset;
  }
}

// Every member's parcel is filled, also of those that take nothing: a program may be wrong.
void ScatterRoot::give_on_node() {
  const inter::RankList members = nodes_.members(container_.node());
  take_rooms(members);
  for (std::size_t member = 0; member < members.size(); ++member) {
    const int rank = members[member];
    if (rank == container_.rank()) continue;
    if (scatterv_block_goes_directly(all_.bytes(rank), container_) && all_.contiguous(rank)) {
      hand_over_.offer(parcels_.of(static_cast<int>(member)), rank);
    } else {
      give_staged(rank);
    }
  }
}

void ScatterRoot::give_staged(int rank) {
  const int member = nodes_.member_index(rank);
  const std::uint64_t room =
      room_of_.empty() ? kNoRoom : room_of_[static_cast<std::size_t>(member)];
  if (Parcels::is_short(all_.bytes(rank))) {
    give(parcels_, parcels_.of(member), all_, rank, 0);
  } else if (room != kNoRoom) {
    give(parcels_, parcels_.of(member), all_, rank, room);
  } else {
    pipes_.emplace_back(parcels_, parcels_.of(member), all_, rank, false);
  }
}

// Nodes with a long block are served at once, the others wait for their leaders.
void ScatterRoot::find_nodes() {
  int announcing = 0;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    if (node == container_.node()) continue;
    std::uint64_t room = 0;
    std::uint64_t longest = 0;
    for (const int rank : nodes_.members(node)) {
      room += in_room(all_.bytes(rank));
      longest = std::max(longest, all_.bytes(rank));
    }
    if (longest == 0 && !is_static_) continue;
    ++announcing;
    if (longest <= kLetterBlockBytes && parcels_.fits_room(room)) {
      waiting_.push_back({node});
    } else {
      send_to_members(node);
    }
  }
  introductions_.listen(announcing);
  deadline_ns_ = shm::monotonic_ns() + std::uint64_t{kPushPatienceUs} * 1000;
}

void ScatterRoot::send_to_leader(int node, int leader) {
  const inter::RankList members = nodes_.members(node);
  std::uint64_t letter_bytes = (1 + members.size()) * sizeof(std::uint64_t);
  for (const int rank : members) letter_bytes += all_.bytes(rank);
  LetterWriter letter(letter_bytes);
  letter.number(kForNode);
  for (const int rank : members) letter.number(all_.bytes(rank));
  for (const int rank : members) {
    all_.read(rank, 0, all_.bytes(rank), letter.room(all_.bytes(rank)));
  }
  mail_.send(letter.take(), leader, MailKind::kLetter);
}

void ScatterRoot::send_to_members(int node) {
  for (const int rank : nodes_.members(node)) {
    const std::uint64_t bytes = all_.bytes(rank);
    const bool leads = is_static_ && rank == nodes_.members(node).front();
    if (bytes == 0 && !leads) continue;
    const bool in_letter = bytes <= kOwnLetterBlockBytes;
    LetterWriter letter(2 * sizeof bytes + (in_letter ? bytes : 0));
    letter.number(kForOne);
    letter.number(bytes);
    if (in_letter) all_.read(rank, 0, bytes, letter.room(bytes));
    mail_.send(letter.take(), rank, MailKind::kLetter);
    if (in_letter) continue;
    if (const std::byte* const packed = all_.contiguous(rank)) {
      mail_.send(packed, bytes, rank, MailKind::kOwnBlock);
    } else {
      std::vector<std::byte> copy(bytes);
      all_.read(rank, 0, bytes, copy.data());
      mail_.send(std::move(copy), rank, MailKind::kOwnBlock);
    }
  }
}

// Whether the node could be served by now.
bool ScatterRoot::serve(const Waiting& waiting) {
  if (waiting.leader >= 0) {
    send_to_leader(waiting.node, waiting.leader);
    return true;
  }
  // Now and then without an end, so that the root cannot run ahead of a node without bound.
  if (is_announced_anyway(parcels_.sequence) || shm::monotonic_ns() < deadline_ns_) return false;
  if (is_static_) {
    send_to_leader(waiting.node, nodes_.members(waiting.node).front());
  } else {
    send_to_members(waiting.node);
  }
  return true;
}

bool ScatterRoot::work() {
  bool any = introductions_.poll([&](const inter::Announcement& heard) {
    for (Waiting& waiting : waiting_) {
      if (waiting.node == heard.node) waiting.leader = heard.rank;
    }
    return true;
  });
  any |= std::erase_if(waiting_, [&](const Waiting& waiting) { return serve(waiting); }) != 0;
  any |= mail_.progress();
  for (PipeGiver& pipe : pipes_) any |= pipe.step();
  std::erase_if(pipes_, [](const PipeGiver& pipe) { return pipe.done(); });
  return any;
}

bool ScatterRoot::run(RankBlocks* mine) {
  ++trace::counters().led;
  trace::led();
  trace::first_byte();
  if (container_.drops().size() != 0) container_.drops().sweep();
  container_.queue().lead(parcels_.sequence);
  give_on_node();
  if (nodes_.nodes() > 1) {
    trace::algorithm("direct");
    find_nodes();
  }
  bool truncated = false;
  if (hand_over_.any_offered()) {
    // While the others read.
    truncated = mine && copy_what_fits(all_, container_.rank(), *mine, 0);
    mine = nullptr;
    for (const int rank : hand_over_.close()) give_staged(rank);
  }
  if (pipes_.size() == 1 && waiting_.empty() && mail_.all_done()) {
    pipes_.front().finish();
  } else {
    work_until([&] { return waiting_.empty() && pipes_.empty() && mail_.all_done(); },
               [&] { return work(); });
  }
  trace::last_byte();
  container_.drops().expect(inter::message_tag(container_.message_number(parcels_.sequence),
                                               inter::MessageKind::kAnnouncement),
                            sizeof(inter::Announcement), introductions_.close());
  container_.queue().leave(parcels_.sequence);
  if (mine) truncated = copy_what_fits(all_, container_.rank(), *mine, 0);
  return truncated;
}

}  // namespace

bool give_variable(Container& container, Outbox& outbox, RankBlocks& all, RankBlocks* mine) {
  return ScatterRoot(container, outbox, all).run(mine);
}

}  // namespace mpiactor
