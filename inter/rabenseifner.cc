// Rabenseifner's reductions: reduce-scatter by recursive halving, after which every place holds one
// block of the result, then an allgather by recursive doubling (allreduce) or a binomial gather
// (reduce). Each node sends about twice the message in all: for long messages.
#include <vector>

#include "inter/algorithms.h"
#include "inter/blocks.h"
#include "inter/folding.h"
#include "inter/virtual_rank.h"

namespace mpiactor::inter {
namespace {

enum Channel { kFold = 0, kUnfold = 1, kFirstRound = 2 };

// One node's part of a reduction over the places 0 .. P - 1.
class Reduction {
 public:
  explicit Reduction(const PlanInput& input)
      : ranks_(input),
        folding_(ranks_.nodes),
        self_(ranks_.of_node(input.node)),
        place_(folding_.place_of(self_)),
        blocks_(input.bytes, folding_.places(), input.granule_bytes),
        all_(blocks_.range(0, folding_.places())) {}

  bool steps_aside() const { return folding_.steps_aside(self_); }

  void give_contribution(bool wants_result) {
    const int host = folding_.host_of(self_);
    const std::uint32_t sent = add(OpKind::kSend, host, all_, kFold, {});
    if (wants_result) add(OpKind::kReceive, host, all_, kUnfold, {sent});
  }

  void take_guest() {
    const int guest = folding_.guest_of(self_);
    if (guest >= 0) last_ = add(OpKind::kReceiveReduce, guest, all_, kFold, {});
  }

  // From the widest distance to the nearest: the peer gets the half that is not this place's.
  void reduce_scatter() {
    int begin = 0;
    int end = folding_.places();
    int round = 0;
    for (int bit = folding_.places() / 2; bit > 0; bit /= 2, ++round) {
      const int middle = (begin + end) / 2;
      const bool upper = (place_ & bit) != 0;
      const ByteRange given = upper ? blocks_.range(begin, middle) : blocks_.range(middle, end);
      (upper ? begin : end) = middle;
      const ByteRange kept = blocks_.range(begin, end);
      const int peer = folding_.rank_at(place_ ^ bit);
      const std::uint32_t sent = add(OpKind::kSend, peer, given, kFirstRound + round, {last_});
      last_ = add(OpKind::kReceiveReduce, peer, kept, kFirstRound + round, {last_});
      halves_.push_back({peer, given, kept, sent});
    }
    sources_ = {last_};
  }

  // The halvings backward: what was given away comes back complete.
  void allgather() {
    const int rounds = static_cast<int>(halves_.size());
    for (int round = rounds; round-- > 0;) {
      const Half& half = halves_[static_cast<std::size_t>(round)];
      const int channel = kFirstRound + rounds + round;
      add(OpKind::kSend, half.peer, half.kept, channel, sources_);
      sources_.push_back(add(OpKind::kReceive, half.peer, half.given, channel, {half.sent}));
    }
    const int guest = folding_.guest_of(self_);
    if (guest >= 0) add(OpKind::kSend, guest, all_, kUnfold, sources_);
  }

  // Likewise, but the place with the bit set hands over what it holds and is done.
  void gather_to_first_place() {
    const int rounds = static_cast<int>(halves_.size());
    int bit = 1;
    for (int round = rounds; round-- > 0; bit *= 2) {
      const Half& half = halves_[static_cast<std::size_t>(round)];
      const int channel = kFirstRound + rounds + round;
      if ((place_ & bit) != 0) {
        add(OpKind::kSend, half.peer, half.kept, channel, sources_);
        return;
      }
      sources_.push_back(add(OpKind::kReceive, half.peer, half.given, channel, {half.sent}));
    }
  }

  Plan take_plan() { return std::move(plan_); }

 private:
  struct Half {
    int peer;
    ByteRange given;
    ByteRange kept;
    std::uint32_t sent;
  };

  std::uint32_t add(OpKind kind, int peer, const ByteRange& range, int channel,
                    const std::vector<std::uint32_t>& waits) {
    return plan_.add({.kind = kind,
                      .peer = ranks_.to_node(peer),
                      .offset = range.offset,
                      .bytes = range.bytes,
                      .channel = channel},
                     waits);
  }

  VirtualRank ranks_;
  Folding folding_;
  int self_;
  int place_;
  Blocks blocks_;
  ByteRange all_;
  Plan plan_;
  std::uint32_t last_ = Plan::kNoOp;
  std::vector<Half> halves_;
  std::vector<std::uint32_t> sources_;  // of the complete bytes that this place holds
};

}  // namespace

Plan allreduce_rabenseifner(const PlanInput& input) {
  Reduction reduction(input);
  if (reduction.steps_aside()) {
    reduction.give_contribution(true);
  } else {
    reduction.take_guest();
    reduction.reduce_scatter();
    reduction.allgather();
  }
  return reduction.take_plan();
}

Plan reduce_rabenseifner(const PlanInput& input) {
  Reduction reduction(input);
  if (reduction.steps_aside()) {
    reduction.give_contribution(false);
  } else {
    reduction.take_guest();
    reduction.reduce_scatter();
    reduction.gather_to_first_place();
  }
  return reduction.take_plan();
}

}  // namespace mpiactor::inter
