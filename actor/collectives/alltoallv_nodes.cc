// Short blocks go by way of the nodes' homes: every member lays down, for each node, how much it
// gives that node's members, and the short blocks themselves; homes exchange that, in one letter
// for a pair of nodes. Longer blocks go from rank to rank, as in the MPI library. So each call is
// one request on every node, in memory of a fixed size, whatever the sizes.
#include "actor/collectives/alltoallv_nodes.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "actor/collectives/block_receiver.h"
#include "actor/collectives/letter.h"
#include "actor/collectives/mail.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

constexpr std::uint64_t kNumber = sizeof(std::uint64_t);

// Where everything lies in a node's memory. A *paper* is what one member gives the members of one
// node: a size for each of them, then their short blocks.
class Desk {
 public:
  Desk(const Container& container, std::uint64_t short_bytes)
      : nodes_(container.nodes()),
        node_(container.node()),
        members_(static_cast<std::uint64_t>(container.members())),
        short_bytes_(short_bytes) {}

  std::uint64_t short_bytes() const { return short_bytes_; }
  // What member `member` of this node gives node `node`.
  std::uint64_t paper(std::uint64_t member, int node) const {
    return (member * static_cast<std::uint64_t>(nodes_.ranks()) + first(node)) * block();
  }
  // What another node's members give this node's: papers one behind the other.
  std::uint64_t letter(int node) const { return given_bytes() + first(node) * members_ * block(); }
  std::uint64_t most_letter_bytes(int node) const { return members(node) * members_ * block(); }
  std::uint64_t bytes() const { return 2 * given_bytes(); }

  std::uint64_t members(int node) const { return nodes_.members(node).size(); }
  // Of a paper for `readers` members.
  std::uint64_t paper_bytes(const std::byte* paper, std::uint64_t readers) const {
    LetterReader sizes(paper);
    std::uint64_t bytes = readers * kNumber;
    for (std::uint64_t reader = 0; reader < readers; ++reader) bytes += in_paper(sizes.number());
    return bytes;
  }
  std::uint64_t in_paper(std::uint64_t bytes) const { return bytes <= short_bytes_ ? bytes : 0; }

 private:
  std::uint64_t block() const { return kNumber + short_bytes_; }
  std::uint64_t first(int node) const {
    return static_cast<std::uint64_t>(nodes_.first_position(node));
  }
  std::uint64_t given_bytes() const {
    return members_ * static_cast<std::uint64_t>(nodes_.ranks()) * block();
  }

  const NodeMap& nodes_;
  int node_;
  std::uint64_t members_;
  std::uint64_t short_bytes_;
};

class AlltoallvCall {
 public:
  AlltoallvCall(Container& container, const Desk& desk, RankBlocks& send, RankBlocks& recv)
      : container_(container),
        nodes_(container.nodes()),
        desk_(desk),
        send_(send),
        recv_(recv),
        shares_buffer_(send.address(0) == recv.address(0) || in_place(send, recv)),
        meeting_(container, desk.bytes()),
        mail_(container, meeting_.sequence()),
        receiver_(mail_, recv) {}

  // Returns whether somebody has sent this rank more than it has room for.
  bool run();

 private:
  static bool in_place(const RankBlocks& send, const RankBlocks& recv);

  bool is_long(std::uint64_t bytes) const { return bytes > desk_.short_bytes(); }
  void send_long(int rank);
  void give();
  void exchange_letters();
  void wait_for_letters();
  void take();
  void take_paper(const std::byte* paper, int from);
  void take_block(int from, std::uint64_t bytes, const std::byte* block);

  Container& container_;
  const NodeMap& nodes_;
  Desk desk_;
  RankBlocks& send_;
  RankBlocks& recv_;
  bool shares_buffer_;
  Meeting meeting_;
  Mail mail_;
  BlockReceiver receiver_;
  bool truncated_ = false;
};

bool AlltoallvCall::in_place(const RankBlocks& send, const RankBlocks& recv) {
  for (int rank = 0; rank < send.ranks(); ++rank) {
    if (send.address(rank) != recv.address(rank)) return false;
  }
  return true;
}

void AlltoallvCall::send_long(int rank) {
  const std::byte* const packed = send_.contiguous(rank);
  if (packed && !shares_buffer_) {
    mail_.send(packed, send_.bytes(rank), rank, MailKind::kOwnBlock);
    return;
  }
  std::vector<std::byte> copy(send_.bytes(rank));
  send_.read(rank, 0, copy.size(), copy.data());
  mail_.send(std::move(copy), rank, MailKind::kOwnBlock);
}

// All that this rank gives to others.
void AlltoallvCall::give() {
  const auto me = static_cast<std::uint64_t>(container_.member());
  for (int node = 0; node < nodes_.nodes(); ++node) {
    std::byte* const paper = meeting_.memory() + desk_.paper(me, node);
    std::byte* block = paper + desk_.members(node) * kNumber;
    std::uint64_t index = 0;
    for (const int rank : nodes_.members(node)) {
      const std::uint64_t bytes = rank == container_.rank() ? 0 : send_.bytes(rank);
      std::memcpy(paper + index++ * kNumber, &bytes, kNumber);
      const std::uint64_t laid_down = desk_.in_paper(bytes);
      send_.lay_down(rank, 0, laid_down, block);
      block += laid_down;
    }
  }
}

// The home, when all members have laid down.
void AlltoallvCall::exchange_letters() {
  ++trace::counters().led;
  trace::led();
  trace::algorithm("direct");
  for (int node = 0; node < nodes_.nodes(); ++node) {
    if (node == container_.node()) continue;
    LetterWriter letter(desk_.members(container_.node()) * desk_.members(node) * kNumber);
    for (std::uint64_t member = 0; member < desk_.members(container_.node()); ++member) {
      const std::byte* const paper = meeting_.memory() + desk_.paper(member, node);
      const std::uint64_t bytes = desk_.paper_bytes(paper, desk_.members(node));
      std::memcpy(letter.room(bytes), paper, bytes);
    }
    mail_.send(letter.take(), nodes_.members(node).front(), MailKind::kLetter);
  }
}

// Until this rank can see what everybody gives it.
void AlltoallvCall::wait_for_letters() {
  const auto work = [&] {
    const bool any = mail_.progress();
    return receiver_.step() || any;
  };
  if (!is_home(container_)) {
    if (mail_.all_done() && receiver_.done()) {
      meeting_.wait_result();
    } else {
      work_until([&] { return meeting_.has_result(); }, work);
    }
    return;
  }
  std::vector<Mail::Id> letters;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    if (node == container_.node()) continue;
    letters.push_back(mail_.receive(meeting_.memory() + desk_.letter(node),
                                    desk_.most_letter_bytes(node), nodes_.members(node).front(),
                                    MailKind::kLetter));
  }
  meeting_.wait_phase(1, work);
  exchange_letters();
  work_until(
      [&] {
        return std::all_of(letters.begin(), letters.end(),
                           [&](Mail::Id id) { return mail_.is_done(id); });
      },
      work);
  meeting_.publish_result();
}

// What the giver says holds, also where this rank believes otherwise.
void AlltoallvCall::take_block(int from, std::uint64_t bytes, const std::byte* block) {
  if (is_long(bytes)) {
    const bool is_expected = bytes == recv_.bytes(from);
    if (!is_expected) receiver_.expect_exactly(from, from, MailKind::kOwnBlock, bytes);
    return;
  }
  if (is_long(recv_.bytes(from))) receiver_.give_up(from);
  truncated_ |= bytes > recv_.bytes(from);
  recv_.write(from, 0, std::min(bytes, recv_.bytes(from)), block);
}

// This rank's block of a paper.
void AlltoallvCall::take_paper(const std::byte* paper, int from) {
  LetterReader sizes(paper);
  const std::byte* block = paper + desk_.members(container_.node()) * kNumber;
  for (int member = 0; member < container_.member(); ++member) {
    block += desk_.in_paper(sizes.number());
  }
  take_block(from, sizes.number(), block);
}

void AlltoallvCall::take() {
  const std::uint64_t readers = desk_.members(container_.node());
  for (int node = 0; node < nodes_.nodes(); ++node) {
    const std::byte* paper = meeting_.memory() + desk_.letter(node);
    std::uint64_t member = 0;
    for (const int rank : nodes_.members(node)) {
      if (node == container_.node()) {
        paper = meeting_.memory() + desk_.paper(member++, node);
      }
      if (rank != container_.rank()) take_paper(paper, rank);
      if (node != container_.node()) paper += desk_.paper_bytes(paper, readers);
    }
  }
}

bool AlltoallvCall::run() {
  const int me = container_.rank();
  give();
  meeting_.end_phase(1);
  // What goes to others is read before anything is written: in place, buffers are the same.
  for (int rank = 0; rank < nodes_.ranks(); ++rank) {
    if (rank != me && is_long(send_.bytes(rank))) send_long(rank);
  }
  for (int rank = 0; rank < nodes_.ranks(); ++rank) {
    if (rank != me && is_long(recv_.bytes(rank))) receiver_.expect(rank, rank, MailKind::kOwnBlock);
  }
  truncated_ = copy_what_fits(send_, me, recv_, me);
  wait_for_letters();
  take();
  meeting_.leave();
  work_until([&] { return mail_.all_done() && receiver_.done(); },
             [&] {
               const bool any = mail_.progress();
               return receiver_.step() || any;
             });
  recv_.finish();
  return truncated_ || receiver_.any_truncated();
}

}  // namespace

VariableOutcome alltoallv_between_nodes(Container& container, MPI_Comm comm, RankBlocks& send,
                                        RankBlocks& recv) {
  // Up to this a block goes by way of the homes.
  constexpr std::uint64_t kMostShortBytes = 4 << 10;
  constexpr std::uint64_t kLeastShortBytes = 64;
  constexpr std::uint64_t kMostRoomBytes = 512 << 10;
  const std::uint64_t blocks = 2 * static_cast<std::uint64_t>(container.nodes().most_members()) *
                               static_cast<std::uint64_t>(container.nodes().ranks());
  // More memory repays on a communicator that is used again and again. Sequence numbers are equal
  // on all ranks.
  const bool is_often_used = container.upcoming_sequence() > competition::kSlots;
  const std::uint64_t wanted = blocks * (kNumber + kMostShortBytes);
  const std::uint64_t room =
      is_often_used ? request_room(container, comm, wanted) : container.work_bytes();
  const std::uint64_t share = std::min(room, kMostRoomBytes) / blocks / kNumber * kNumber;
  if (share < kNumber + kLeastShortBytes) return VariableOutcome::kNotDone;
  const Desk desk(container, std::min(share - kNumber, kMostShortBytes));
  return AlltoallvCall(container, desk, send, recv).run() ? VariableOutcome::kTruncated
                                                          : VariableOutcome::kDone;
}

}  // namespace mpiactor
