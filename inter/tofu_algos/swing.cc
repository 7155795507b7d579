// Swing [Swing] and the collectives over Bine trees [Bine] on a torus: the message in as many parts
// as there are ways through the rounds of swing_rounds.h, so that all links of a node are used.
//
//   allreduce swing: every round cuts what a node is left with among those who meet, until it has
//     one block of the result; then the rounds backward bring all blocks to all nodes. Each node
//     sends about twice the message in all. Bine trees' allreduce is the same on a torus.
//   allreduce swingshort: larger groups cut what they have among them, pairs then swap all of it,
//     the widest distances first: whoever has met so far then has the same bits, which nearest
//     first would not give. In the end the groups put the result together again.
//   bcast bine: from the widest distance to the nearest, who has the part gives it to all whom it
//     meets: a binomial tree whose distances are Bine's.
//   bcast bineaas, reduce bine: a scatter from the root along the rounds, then the second half of
//     swing; the first half of swing, then a gather along the rounds.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "inter/blocks.h"
#include "inter/tofu_algos/algorithms.h"
#include "inter/tofu_algos/swing_rounds.h"

namespace mpiactor::inter {
namespace {

// One node's operations for one part of the message.
class SwingPart {
 public:
  SwingPart(Plan& plan, const PlanInput& input, const SwingRounds& rounds, const ByteRange& part,
            int number)
      : plan_(plan),
        rounds_(rounds),
        self_(input.node),
        root_(input.root_node),
        number_(number),
        part_(part),
        granule_bytes_(input.granule_bytes) {
    int channel = 0;
    for (int index = 0; index < rounds_.count(); ++index) {
      first_channel_.push_back(channel);
      channel += rounds_.radix(index);
    }
  }

  void allreduce() {
    cut(all_rounds());
    reduce_scatter();
    allgather([](int, int) { return true; });
  }

  void allreduce_short() {
    std::vector<int> pairs;
    std::vector<int> groups;
    for (int round : all_rounds()) (rounds_.radix(round) == 2 ? pairs : groups).push_back(round);
    cut(groups);
    reduce_scatter();
    for (; !pairs.empty(); pairs.pop_back()) {
      swap(pairs.back(), levels_.empty() ? part_ : levels_.back().kept());
    }
    allgather([](int, int) { return true; });
  }

  void broadcast_tree() {
    // Before this round the node is where the root is, and passes on.
    int round = 0;
    while (round < rounds_.count() && digit_of_self(round) == rounds_.digit(round, root_)) ++round;
    if (round < rounds_.count()) {
      sources_ = {receive(OpKind::kReceive, round, rounds_.digit(round, root_), part_, kThere, {})};
    }
    while (round-- > 0) {
      for (int other : others(round)) send(round, other, part_, kThere);
    }
  }

  void broadcast_scattered() {
    cut(all_rounds());
    const Served own = served_in_scatter(self_);
    for (int level = std::max(own.level, 0); level < levels(); ++level) {
      const Level& at = levels_[static_cast<std::size_t>(level)];
      if (level == own.level) {
        sources_ = {receive(OpKind::kReceive, at.round, own.digit, at.kept(), kThere, {})};
        continue;
      }
      for (int other : others(at.round)) send(at.round, other, at.range(other), kThere);
    }
    // Who was served at a level has had all of later levels since then.
    allgather([&](int node, int level) { return level <= served_in_scatter(node).level; });
  }

  void reduce() {
    cut(all_rounds());
    reduce_scatter();
    const Served own = served_in_scatter(self_);
    for (int level = levels(); level-- > std::max(own.level, 0);) {
      const Level& at = levels_[static_cast<std::size_t>(level)];
      if (level == own.level) {
        send(at.round, own.digit, at.kept(), kBack);
        continue;
      }
      for (int other : others(at.round)) {
        sources_.push_back(
            receive(OpKind::kReceive, at.round, other, at.range(other), kBack, {at.sent(other)}));
      }
    }
  }

 private:
  enum Phase { kThere, kBack };

  // A round that cuts what the node has left among those who meet.
  struct Level {
    int round;
    int digit;                                // of this node
    std::vector<ByteRange> ranges;            // by digit
    std::vector<std::uint32_t> sent_to = {};  // by digit

    const ByteRange& kept() const { return range(digit); }
    const ByteRange& range(int of) const { return ranges[static_cast<std::size_t>(of)]; }
    std::uint32_t sent(int to) const { return sent_to[static_cast<std::size_t>(to)]; }
  };
  // Where a scatter from the root serves a node, and the digit of who does.
  struct Served {
    int level;  // -1: the root
    int digit;
  };

  std::vector<int> all_rounds() const {
    std::vector<int> rounds(static_cast<std::size_t>(rounds_.count()));
    std::iota(rounds.begin(), rounds.end(), 0);
    return rounds;
  }

  int levels() const { return static_cast<int>(levels_.size()); }
  int digit_of_self(int round) const { return rounds_.digit(round, self_); }

  std::vector<int> others(int round) const {
    std::vector<int> digits;
    for (int digit = 0; digit < rounds_.radix(round); ++digit) {
      if (digit != digit_of_self(round)) digits.push_back(digit);
    }
    return digits;
  }

  void cut(const std::vector<int>& rounds) {
    int size = 1;
    for (int round : rounds) size *= rounds_.radix(round);
    const Blocks blocks(part_.bytes, size, granule_bytes_);
    int begin = 0;
    for (int round : rounds) {
      size /= rounds_.radix(round);
      Level level{round, digit_of_self(round), {}};
      for (int digit = 0; digit < rounds_.radix(round); ++digit) {
        ByteRange range = blocks.range(begin + digit * size, begin + (digit + 1) * size);
        range.offset += part_.offset;
        level.ranges.push_back(range);
      }
      begin += level.digit * size;
      levels_.push_back(std::move(level));
    }
  }

  // After it the node has its own block of the result, and all else that it had has been sent.
  void reduce_scatter() {
    for (Level& level : levels_) {
      level.sent_to.assign(level.ranges.size(), Plan::kNoOp);
      for (int other : others(level.round)) {
        level.sent_to[static_cast<std::size_t>(other)] =
            send(level.round, other, level.range(other), kThere);
      }
      for (int other : others(level.round)) {
        sources_ = {
            receive(OpKind::kReceiveReduce, level.round, other, level.kept(), kThere, sources_)};
      }
    }
  }

  // The levels backward; `lacks(node, level)`: whether the node has yet to get the others' parts.
  template <typename Lacks>
  void allgather(const Lacks& lacks) {
    for (int index = levels(); index-- > 0;) {
      const Level& level = levels_[static_cast<std::size_t>(index)];
      for (int other : others(level.round)) {
        if (lacks(rounds_.member(level.round, self_, other), index)) {
          send(level.round, other, level.kept(), kBack);
        }
      }
      if (!lacks(self_, index)) continue;
      for (int other : others(level.round)) {
        const std::uint32_t sent = level.sent_to.empty() ? Plan::kNoOp : level.sent(other);
        sources_.push_back(
            receive(OpKind::kReceive, level.round, other, level.range(other), kBack, {sent}));
      }
    }
  }

  void swap(int round, const ByteRange& range) {
    const int other = 1 - digit_of_self(round);
    const std::uint32_t sent = send(round, other, range, kThere);
    sources_ = {receive(OpKind::kReceiveReduce, round, other, range, kThere, {sent})};
  }

  Served served_in_scatter(int node) const {
    Served served{-1, 0};
    int holder = root_;
    for (int index = 0; index < levels(); ++index) {
      const int round = levels_[static_cast<std::size_t>(index)].round;
      const int digit = rounds_.digit(round, node);
      if (rounds_.digit(round, holder) == digit) continue;
      served = {index, rounds_.digit(round, holder)};
      holder = rounds_.member(round, holder, digit);
    }
    return served;
  }

  std::uint32_t send(int round, int to_digit, const ByteRange& range, Phase phase) {
    return plan_.add(op_of(OpKind::kSend, round, to_digit, digit_of_self(round), range, phase),
                     sources_);
  }

  std::uint32_t receive(OpKind kind, int round, int from_digit, const ByteRange& range, Phase phase,
                        const std::vector<std::uint32_t>& waits) {
    return plan_.add(op_of(kind, round, from_digit, from_digit, range, phase), waits);
  }

  PlanOp op_of(OpKind kind, int round, int peer_digit, int sender_digit, const ByteRange& range,
               Phase phase) const {
    return {.kind = kind,
            .peer = rounds_.member(round, self_, peer_digit),
            .offset = range.offset,
            .bytes = range.bytes,
            .stream = number_,
            .channel = (2 * number_ + phase) * kMostMeetings +
                       first_channel_[static_cast<std::size_t>(round)] + sender_digit};
  }

  Plan& plan_;
  SwingRounds rounds_;
  int self_;
  int root_;
  int number_;
  ByteRange part_;
  std::uint64_t granule_bytes_;
  std::vector<int> first_channel_;  // by round
  std::vector<Level> levels_;
  std::vector<std::uint32_t> sources_;  // of the bytes that the node may send
};

Plan plan_of_parts(const PlanInput& input, SwingRounds::Pairs pairs, void (SwingPart::*add)()) {
  const std::vector<SwingWay> ways = swing_ways(input.shape);
  const std::uint64_t granules = (kShortestSwingPart - 1) / input.granule_bytes + 1;
  // One node has no way.
  const Blocks parts(input.bytes, std::max(static_cast<int>(ways.size()), 1),
                     granules * input.granule_bytes);
  Plan plan;
  for (int number = 0; number < static_cast<int>(ways.size()); ++number) {
    const SwingRounds rounds(input.shape, ways[static_cast<std::size_t>(number)], pairs);
    SwingPart part(plan, input, rounds, parts.range(number, number + 1), number);
    (part.*add)();
  }
  return plan;
}

}  // namespace

Plan allreduce_swing(const PlanInput& input) {
  return plan_of_parts(input, SwingRounds::Pairs::kSwing, &SwingPart::allreduce);
}

Plan allreduce_swing_short(const PlanInput& input) {
  return plan_of_parts(input, SwingRounds::Pairs::kClosed, &SwingPart::allreduce_short);
}

Plan bcast_bine(const PlanInput& input) {
  return plan_of_parts(input, SwingRounds::Pairs::kSwing, &SwingPart::broadcast_tree);
}

Plan bcast_bine_scattered(const PlanInput& input) {
  return plan_of_parts(input, SwingRounds::Pairs::kSwing, &SwingPart::broadcast_scattered);
}

Plan reduce_bine(const PlanInput& input) {
  return plan_of_parts(input, SwingRounds::Pairs::kSwing, &SwingPart::reduce);
}

int swing_streams(const Shape& shape) { return static_cast<int>(swing_ways(shape).size()); }

}  // namespace mpiactor::inter
