// Scatterv between nodes: a letter for a node to whoever leads it, or each rank its own block.
#include <algorithm>
#include <optional>

#include "inter/ways.h"
#include "sim/direct_calls.h"
#include "sim/messages.h"

namespace mpiactor::sim {
namespace {

constexpr std::uint64_t kNumber = sizeof(std::uint64_t);

class Scatterv {
 public:
  Scatterv(const Machine& machine, const RecordedCall& call, LeaderPolicy policy)
      : machine_(machine),
        call_(call),
        is_static_(policy == LeaderPolicy::kStatic),
        layout_(call.layout()),
        root_node_(layout_.node_of(call.root_rank)),
        begun_(arrival(call.root_rank)),
        patience_(begun_ + inter::kPushPatienceUs * kPicosecondsPerMicrosecond) {}

  PlayedCall play();

 private:
  // What a node gets.
  struct Given {
    int leader = -1;                                  // -1: nobody takes anything
    std::vector<std::optional<std::size_t>> letters;  // of ranks: messages
    std::vector<std::optional<std::size_t>> blocks;
    bool in_one_letter = false;  // the leader's, for all
  };

  Picoseconds arrival(int rank) const { return call_.arrivals[static_cast<std::size_t>(rank)]; }
  Picoseconds copying(std::uint64_t bytes) const {
    return time_of(bytes, machine_.copy_ps_per_byte(1));
  }
  std::uint64_t total(int node) const {
    std::uint64_t sum = 0;
    for (int rank = layout_.first_rank(node); rank < layout_.first_rank(node + 1); ++rank) {
      sum += call_.block(rank);
    }
    return sum;
  }
  std::size_t send(int node, std::uint64_t bytes, Picoseconds given, int to,
                   std::vector<std::size_t> after) {
    messages_.push_back({root_node_, node, bytes, given, arrival(to), std::move(after)});
    return messages_.size() - 1;
  }
  int leader_of(int node) const;
  Given give(int node);
  void give_to_members(int node, Picoseconds when, Given& given);
  void take(int node, const Given& given, const MessageEnds& ends);
  void take_on_roots_node();

  const Machine& machine_;
  const RecordedCall& call_;
  bool is_static_;
  Layout layout_;
  int root_node_;
  Picoseconds begun_;
  Picoseconds patience_;
  std::vector<Picoseconds> exits_;
  std::vector<RankMessage> messages_;
};

// Whoever takes something competes.
int Scatterv::leader_of(int node) const {
  if (is_static_) return layout_.first_rank(node);
  int leader = -1;
  for (int rank = layout_.first_rank(node); rank < layout_.first_rank(node + 1); ++rank) {
    if (call_.block(rank) == 0) continue;
    if (leader < 0 || arrival(rank) < arrival(leader)) leader = rank;
  }
  return leader;
}

void Scatterv::give_to_members(int node, Picoseconds when, Given& given) {
  const auto letter_for = [&](int rank, std::vector<std::size_t> after) {
    const std::uint64_t bytes = call_.block(rank);
    const bool in_letter = bytes <= inter::kOwnLetterBlockBytes;
    const std::size_t letter =
        send(node, 2 * kNumber + (in_letter ? bytes : 0), when, rank, std::move(after));
    const auto member = static_cast<std::size_t>(rank - layout_.first_rank(node));
    given.letters[member] = letter;
    if (!in_letter) given.blocks[member] = send(node, bytes, when, rank, {letter});
    return letter;
  };
  // Its letter tells the leader, and the leader the others, that all have letters.
  const std::size_t first = letter_for(given.leader, {});
  for (int rank = layout_.first_rank(node); rank < layout_.first_rank(node + 1); ++rank) {
    if (rank != given.leader && call_.block(rank) != 0) letter_for(rank, {first});
  }
}

Scatterv::Given Scatterv::give(int node) {
  const auto members = static_cast<std::size_t>(layout_.members(node));
  Given given{.leader = leader_of(node),
              .letters = std::vector<std::optional<std::size_t>>(members),
              .blocks = std::vector<std::optional<std::size_t>>(members)};
  if (given.leader < 0) return given;
  std::uint64_t longest = 0;
  for (int rank = layout_.first_rank(node); rank < layout_.first_rank(node + 1); ++rank) {
    longest = std::max(longest, call_.block(rank));
  }
  const bool in_time = arrival(given.leader) <= patience_;
  if (longest > inter::kLetterBlockBytes) {
    give_to_members(node, begun_, given);
  } else if (!in_time && !is_static_) {
    give_to_members(node, patience_, given);
  } else {
    given.in_one_letter = true;
    const Picoseconds when = in_time ? std::max(begun_, arrival(given.leader)) : patience_;
    const auto member = static_cast<std::size_t>(given.leader - layout_.first_rank(node));
    given.letters[member] =
        send(node, (1 + members) * kNumber + total(node), when, given.leader, {});
  }
  return given;
}

void Scatterv::take(int node, const Given& given, const MessageEnds& ends) {
  if (given.leader < 0) return;
  const int first = layout_.first_rank(node);
  const auto received = [&](std::size_t message) { return ends.received[message]; };
  const Picoseconds led = received(*given.letters[static_cast<std::size_t>(given.leader - first)]);
  for (int rank = first; rank < layout_.first_rank(node + 1); ++rank) {
    if (rank != given.leader && call_.block(rank) == 0) continue;
    const auto member = static_cast<std::size_t>(rank - first);
    Picoseconds& exit = exits_[static_cast<std::size_t>(rank)];
    exit = std::max(exit, led);
    if (given.in_one_letter) {
      // The leader lays all blocks down, or takes its own.
      exit = std::max(exit, led + copying(total(node)));
      if (rank != given.leader) exit += copying(call_.block(rank));
    } else if (given.blocks[member]) {
      exit = std::max(exit, received(*given.blocks[member]));
    } else {
      exit = std::max(exit, received(*given.letters[member])) + copying(call_.block(rank));
    }
  }
}

void Scatterv::take_on_roots_node() {
  const Picoseconds there = begun_ + machine_.startup_ps;
  const std::uint64_t own = call_.block(call_.root_rank);
  exits_[static_cast<std::size_t>(call_.root_rank)] += copying(total(root_node_) - own);
  for (int rank = layout_.first_rank(root_node_); rank < layout_.first_rank(root_node_ + 1);
       ++rank) {
    if (rank == call_.root_rank || call_.block(rank) == 0) continue;
    Picoseconds& exit = exits_[static_cast<std::size_t>(rank)];
    exit = std::max(exit, there) +
           time_of(call_.block(rank), machine_.copy_ps_per_byte(layout_.members(root_node_)));
  }
}

PlayedCall Scatterv::play() {
  for (int rank = 0; rank < layout_.ranks(); ++rank) {
    exits_.push_back(arrival(rank) + machine_.startup_ps);
  }
  std::vector<Given> given;
  for (int node = 0; node < layout_.nodes; ++node) {
    given.push_back(node == root_node_ ? Given{} : give(node));
  }
  const MessageEnds ends = simulate_messages(machine_, layout_.nodes, messages_);
  take_on_roots_node();
  for (int node = 0; node < layout_.nodes; ++node) {
    take(node, given[static_cast<std::size_t>(node)], ends);
  }
  Picoseconds& exit = exits_[static_cast<std::size_t>(call_.root_rank)];
  for (const Picoseconds sent : ends.sent) exit = std::max(exit, sent);
  return {.algorithm = "direct", .segment_bytes = longest_of(messages_), .exits = exits_};
}

}  // namespace

PlayedCall play_scatterv(const Machine& machine, const RecordedCall& call, LeaderPolicy policy) {
  return Scatterv(machine, call, policy).play();
}

}  // namespace mpiactor::sim
