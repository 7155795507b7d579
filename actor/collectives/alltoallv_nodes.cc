// Short blocks go by way of the nodes' memory: every member lays down, for each node, how much it
// gives that node's members, and the short blocks themselves, in one block message for a pair of
// nodes. Leaders receive the block messages. The last member to arrive sends the node's own ones,
// so that nothing waits for a leader that sleeps; static leaders do it themselves. Longer blocks go
// from rank to rank, as in the MPI library. So each call is one request on every node, in memory of
// a fixed size, whatever the sizes.
#include "actor/collectives/alltoallv_nodes.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "actor/between/alltoallv_buffers.h"
#include "actor/between/block_receiver.h"
#include "actor/between/node_exchange.h"
#include "actor/between/point_to_point.h"
#include "actor/collectives/operation.h"
#include "actor/container/progress.h"
#include "actor/node/meeting.h"
#include "actor/trace/span.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

constexpr std::uint64_t kNumber = sizeof(std::uint64_t);

class AlltoallvCall {
 public:
  AlltoallvCall(Container& container, const AlltoallvBuffers& buffers, RankBlocks& send,
                RankBlocks& recv)
      : container_(container),
        nodes_(container.nodes()),
        buffers_(buffers),
        send_(send),
        recv_(recv),
        members_(static_cast<std::uint64_t>(container.members())),
        last_sends_(last_member_sends(container)),
        shares_buffer_(send.address(0) == recv.address(0) || in_place(send, recv)),
        // A slot's own memory is not zeroed.
        meeting_(container, std::max(buffers.bytes(), competition::kInlineBytes + 1),
                 buffers.zeroed_bytes()),
        p2p_(container, meeting_.sequence()),
        receiver_(p2p_, recv) {
    buffers_.lie_at(meeting_.memory());
  }

  // Returns whether somebody has sent this rank more than it has room for.
  bool run();
  // After run(), the same on all ranks.
  std::uint64_t longest_block() const { return longest_; }

 private:
  static bool in_place(const RankBlocks& send, const RankBlocks& recv);

  bool is_long(std::uint64_t bytes) const { return bytes > buffers_.short_bytes(); }
  void expect_long_blocks();
  void send_long_blocks();
  void send_long(int rank);
  void expect_messages();
  void give();
  void arrive();
  void send_messages();
  bool send_where_all_are_there();
  bool count_messages();
  bool progress();
  void wait_for_messages();
  void take();
  void take_parts(const AlltoallvBuffers::Parts& parts);
  void take_block(int from, std::uint64_t bytes, const std::byte* block);

  Container& container_;
  const NodeMap& nodes_;
  AlltoallvBuffers buffers_;
  RankBlocks& send_;
  RankBlocks& recv_;
  std::uint64_t members_;
  bool last_sends_;
  bool shares_buffer_;
  Meeting meeting_;
  PointToPoint p2p_;
  BlockReceiver receiver_;
  // Leader: the block messages that have not come.
  std::vector<PointToPoint::Id> messages_;
  bool has_said_all_ = false;
  bool has_sent_ = false;
  std::uint64_t longest_ = 0;
  bool truncated_ = false;
};

bool AlltoallvCall::in_place(const RankBlocks& send, const RankBlocks& recv) {
  for (int rank = 0; rank < send.ranks(); ++rank) {
    if (send.address(rank) != recv.address(rank)) return false;
  }
  return true;
}

void AlltoallvCall::expect_long_blocks() {
  for (int rank = 0; rank < nodes_.ranks(); ++rank) {
    if (rank != container_.rank() && is_long(recv_.bytes(rank)))
      receiver_.expect(rank, rank, PointToPoint::Kind::kOwnBlock);
  }
}

// Each begins with another one, so that not all send to the same rank at once.
void AlltoallvCall::send_long_blocks() {
  for (int step = 1; step < nodes_.ranks(); ++step) {
    const int rank = (container_.rank() + step) % nodes_.ranks();
    if (is_long(send_.bytes(rank))) send_long(rank);
  }
}

void AlltoallvCall::send_long(int rank) {
  const std::byte* const packed = send_.contiguous(rank);
  if (packed && !shares_buffer_) {
    p2p_.send(packed, send_.bytes(rank), rank, PointToPoint::Kind::kOwnBlock);
    return;
  }
  std::vector<std::byte> copy(send_.bytes(rank));
  send_.read(rank, 0, copy.size(), copy.data());
  p2p_.send(std::move(copy), rank, PointToPoint::Kind::kOwnBlock);
}

// Leader: whoever sends them.
void AlltoallvCall::expect_messages() {
  for (std::uint64_t index = 0; index < static_cast<std::uint64_t>(nodes_.nodes() - 1); ++index) {
    messages_.push_back(p2p_.receive(buffers_.incoming(index), buffers_.most_incoming_bytes(),
                                     MPI_ANY_SOURCE, PointToPoint::Kind::kBlocks));
  }
}

// All that this rank gives to others.
void AlltoallvCall::give() {
  const int me = container_.rank();
  const auto bytes_for = [&](int rank) { return rank == me ? 0 : send_.bytes(rank); };
  std::uint64_t longest = 0;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    const inter::RankList readers = nodes_.members(node);
    std::uint64_t in_part = 0;
    for (const int rank : readers) {
      in_part += buffers_.in_part(bytes_for(rank));
      longest = std::max(longest, bytes_for(rank));
    }
    std::byte* number = buffers_.take_room(node, (1 + readers.size()) * kNumber + in_part);
    std::byte* block = number + (1 + readers.size()) * kNumber;
    const auto member = static_cast<std::uint64_t>(container_.member());
    std::memcpy(number, &member, kNumber);
    for (const int rank : readers) {
      const std::uint64_t bytes = bytes_for(rank);
      std::memcpy(number += kNumber, &bytes, kNumber);
      send_.lay_down(rank, 0, buffers_.in_part(bytes), block);
      block += buffers_.in_part(bytes);
    }
  }
  buffers_.note_longest(longest);
}

// This member has laid down all that it gives.
void AlltoallvCall::arrive() {
  if (meeting_.arrivals().count() != members_) return;
  const bool are_messages_in = meeting_.arrivals().complete().has_others_part(0);
  if (last_sends_ || is_fixed_leader(container_)) send_messages();
  if (are_messages_in) meeting_.publish_result();
}

// When all members have laid down.
void AlltoallvCall::send_messages() {
  has_sent_ = true;
  trace::led();
  trace::algorithm("direct");
  for (int step = 1; step < nodes_.nodes(); ++step) {
    const int node = (container_.node() + step) % nodes_.nodes();
    const AlltoallvBuffers::Message message = buffers_.finish_message(node);
    p2p_.send(message.begin, message.bytes, nodes_.members(node).front(),
              PointToPoint::Kind::kBlocks);
  }
}

// Static leader: true where it has sent.
bool AlltoallvCall::send_where_all_are_there() {
  if (last_sends_ || has_sent_ || !meeting_.arrivals().state().is_complete()) return false;
  send_messages();
  return true;
}

// Leader: says when all block messages have come. True where it has.
bool AlltoallvCall::count_messages() {
  std::erase_if(messages_, [this](PointToPoint::Id id) { return p2p_.is_done(id); });
  if (has_said_all_ || !messages_.empty()) return false;
  has_said_all_ = true;
  if (meeting_.arrivals().add_others_part(0)) meeting_.publish_result();
  return true;
}

bool AlltoallvCall::progress() {
  const bool any = p2p_.progress();
  return receiver_.step() || any;
}

// Until this rank can see what everybody gives it.
void AlltoallvCall::wait_for_messages() {
  if (is_fixed_leader(container_)) {
    work_until([this] { return (last_sends_ || has_sent_) && meeting_.has_result(); },
               [this] {
                 const bool any = send_where_all_are_there();
                 return progress() | count_messages() | any;
               });
    return;
  }
  work_until([this] { return meeting_.has_result() || (p2p_.all_done() && receiver_.done()); },
             [this] { return progress(); });
  meeting_.wait_result();
}

// What the giver says holds, also where this rank believes otherwise.
void AlltoallvCall::take_block(int from, std::uint64_t bytes, const std::byte* block) {
  if (is_long(bytes)) {
    receiver_.expect(from, from, PointToPoint::Kind::kOwnBlock);
    return;
  }
  receiver_.give_up(from);
  truncated_ |= bytes > recv_.bytes(from);
  recv_.write(from, 0, std::min(bytes, recv_.bytes(from)), block);
}

void AlltoallvCall::take_parts(const AlltoallvBuffers::Parts& parts) {
  longest_ = std::max(longest_, parts.head.longest_block);
  buffers_.read(parts, container_.member(),
                [this](int from, std::uint64_t bytes, const std::byte* block) {
                  if (from != container_.rank()) take_block(from, bytes, block);
                });
}

void AlltoallvCall::take() {
  take_parts(buffers_.own_parts());
  const auto messages = static_cast<std::uint64_t>(nodes_.nodes() - 1);
  for (std::uint64_t index = 0; index < messages; ++index) {
    take_parts(buffers_.incoming_parts(index));
  }
}

bool AlltoallvCall::run() {
  const int me = container_.rank();
  if (is_fixed_leader(container_)) expect_messages();
  // What comes before it is expected is copied once more.
  if (!shares_buffer_) expect_long_blocks();
  give();
  arrive();
  send_long_blocks();
  // In place, what goes to others is read before anything is written.
  if (shares_buffer_) expect_long_blocks();
  truncated_ = copy_what_fits(send_, me, recv_, me);
  wait_for_messages();
  take();
  // Block messages are sent from the memory that is left.
  work_until([this] { return p2p_.all_done() && receiver_.done(); }, [this] { return progress(); });
  meeting_.leave();
  recv_.finish();
  return truncated_ || receiver_.any_truncated();
}

constexpr std::uint64_t kLeastShortBytes = 64;

// What pays in a block message, as far as there will ever be memory for it. Equal on all ranks.
std::uint64_t longest_joined_block(const Container& container) {
  const NodeMap& nodes = container.nodes();
  const std::uint64_t room = std::min(kRoomBetweenNodes, container.most_work_bytes());
  return std::min(inter::longest_joined_alltoallv_block(nodes.most_members()),
                  AlltoallvBuffers::short_bytes_for(nodes, room));
}

}  // namespace

VariableOutcome alltoallv_between_nodes(Container& container, MPI_Comm comm, RankBlocks& send,
                                        RankBlocks& recv) {
  std::uint64_t& longest_yet = container.longest_alltoallv_block();
  const NodeMap& nodes = container.nodes();
  // What earlier calls gave, equal on all ranks, tells how much memory will be of use.
  const std::uint64_t limit = longest_joined_block(container);
  if (limit < kLeastShortBytes) return VariableOutcome::kNotDone;
  const std::uint64_t wanted = std::clamp(longest_yet, kLeastShortBytes, limit);
  const std::uint64_t room =
      request_room(container, comm, AlltoallvBuffers::most_bytes(nodes, wanted), kRoomBetweenNodes);
  const std::uint64_t short_bytes = AlltoallvBuffers::short_bytes_for(nodes, room);
  if (short_bytes < kLeastShortBytes) return VariableOutcome::kNotDone;
  AlltoallvCall call(container, {nodes, container.node(), std::min(short_bytes, limit)}, send,
                     recv);
  const bool is_truncated = call.run();
  longest_yet = std::max(longest_yet, call.longest_block());
  return is_truncated ? VariableOutcome::kTruncated : VariableOutcome::kDone;
}

}  // namespace mpiactor
