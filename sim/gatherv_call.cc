// Gatherv between nodes: a block message for a node, which holds its short blocks, then blocks that
// go by way of the node; the others from their owners.
#include <algorithm>

#include "inter/ways.h"
#include "sim/calls_between_nodes.h"
#include "sim/messages.h"

namespace mpiactor::sim {
namespace {

class Gatherv {
 public:
  Gatherv(const Machine& machine, const RecordedCall& call, LeaderPolicy policy)
      : machine_(machine), call_(call), policy_(policy), layout_(call.layout()) {}

  PlayedCall play();

 private:
  Picoseconds arrival(int rank) const { return call_.arrivals[static_cast<std::size_t>(rank)]; }
  Picoseconds copying(std::uint64_t bytes) const {
    return time_of(bytes, machine_.copy_ps_per_byte(1));
  }
  // By default; rooms are taken to hold what may go by way of the node.
  static bool is_alone(std::uint64_t bytes) {
    return inter::travels_alone(bytes, inter::kMostForwardedBytes, false);
  }
  Picoseconds laid_down(int rank) const {
    return arrival(rank) + (is_alone(call_.block(rank)) ? 0 : copying(call_.block(rank)));
  }
  void give(int node);
  void send(int node, int by, std::uint64_t bytes, Picoseconds given, bool after_message);
  Picoseconds& exit(int rank) { return exits_[static_cast<std::size_t>(rank)]; }

  const Machine& machine_;
  const RecordedCall& call_;
  LeaderPolicy policy_;
  Layout layout_;
  std::vector<Picoseconds> exits_;
  std::vector<RankMessage> messages_;
  std::vector<int> senders_;          // of messages
  std::size_t message_ = 0;           // of the node that gives
  std::uint64_t through_memory_ = 0;  // bytes that the root copies
  Picoseconds there_ = 0;             // when the members of the root's node have laid theirs down
};

void Gatherv::send(int node, int by, std::uint64_t bytes, Picoseconds given, bool after_message) {
  RankMessage message{.from = node,
                      .to = layout_.node_of(call_.root_rank),
                      .bytes = bytes,
                      .given = given,
                      .wanted = arrival(call_.root_rank)};
  if (after_message) message.after.push_back(message_);
  messages_.push_back(std::move(message));
  senders_.push_back(by);
}

void Gatherv::give(int node) {
  const int first = layout_.first_rank(node);
  const int end = layout_.first_rank(node + 1);
  LastRank last{first, 0};
  std::uint64_t total = 0;
  std::uint64_t message = static_cast<std::uint64_t>(end - first) * sizeof(std::uint64_t);
  for (int rank = first; rank < end; ++rank) {
    if (laid_down(rank) >= last.arrival) last = {rank, laid_down(rank)};
    total += call_.block(rank);
    if (call_.block(rank) <= inter::kJoinedBlockBytes) message += call_.block(rank);
  }
  const int sender = policy_ == LeaderPolicy::kStatic ? first : last.rank;
  exit(sender) = std::max(exit(sender), last.arrival + machine_.startup_ps);
  if (total == 0) return;
  through_memory_ += message;
  message_ = messages_.size();
  send(node, sender, message, last.arrival, false);
  for (int rank = first; rank < end; ++rank) {
    const std::uint64_t bytes = call_.block(rank);
    if (is_alone(bytes)) {
      send(node, rank, bytes, arrival(rank), false);
    } else if (bytes > inter::kJoinedBlockBytes) {
      send(node, sender, bytes, last.arrival, true);
    }
  }
}

PlayedCall Gatherv::play() {
  const int root = call_.root_rank;
  const int root_node = layout_.node_of(root);
  for (int rank = 0; rank < layout_.ranks(); ++rank) {
    const bool copies =
        rank != root && (layout_.node_of(rank) == root_node || !is_alone(call_.block(rank)));
    exits_.push_back(arrival(rank) + machine_.startup_ps +
                     (copies ? copying(call_.block(rank)) : 0));
    if (rank != root && layout_.node_of(rank) == root_node) {
      through_memory_ += call_.block(rank);
      there_ = std::max(there_, exits_.back());
    }
  }
  for (int node = 0; node < layout_.nodes; ++node) {
    if (node != root_node) give(node);
  }
  const MessageEnds ends = simulate_messages(machine_, layout_.nodes, messages_);
  exit(root) = std::max(exit(root), there_);
  for (std::size_t k = 0; k < messages_.size(); ++k) {
    exit(senders_[k]) = std::max(exit(senders_[k]), ends.sent[k]);
    exit(root) = std::max(exit(root), ends.received[k]);
  }
  exit(root) += copying(through_memory_);
  return {.algorithm = "direct", .segment_bytes = longest_of(messages_), .exits = exits_};
}

}  // namespace

PlayedCall play_gatherv(const Machine& machine, const RecordedCall& call, LeaderPolicy policy) {
  return Gatherv(machine, call, policy).play();
}

}  // namespace mpiactor::sim
