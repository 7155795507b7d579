// How an engine begins: its operations in the order of their channels, and what receives take in
// before it is combined or put in its place.
#include <cinttypes>
#include <map>
#include <tuple>
#include <utility>

#include "inter/assertion.h"
#include "inter/engine.h"
#include "inter/engine_memory.h"
#include "inter/lasting.h"

namespace mpiactor::inter {
namespace {

const RankMap& same_ranks() {
  static Lasting<const RankMap> same;
  return *same;
}

// Operations of one channel: same direction, peer and number.
using Channel = std::tuple<bool, int, int>;
Channel channel_of(const PlanOp& op) { return {op.kind == OpKind::kSend, op.peer, op.channel}; }

}  // namespace

Engine::Engine(EngineSetup setup)
    : setup_(std::move(setup)),
      ranks_(setup_.ranks ? *setup_.ranks : same_ranks()),
      introductions_(setup_.comm, ranks_, setup_.sequence),
      is_sure_(true) {
  const Plan& plan = *setup_.plan;
  if (setup_.carried) taken_over_ = std::move(*setup_.carried);
  MPIACTOR_ASSERT(setup_.window >= 1 && setup_.window <= kMaxWindow, "a window of %d segments",
                  setup_.window);
  operations_.resize(plan.ops.size());
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    MPIACTOR_ASSERT(op.bytes > 0 && op.offset < op.reach() && op.reach() <= setup_.capacity,
                    "request %" PRIu64 ", operation %zu: bytes [%" PRIu64 ", %" PRIu64
                    ") of a buffer of %" PRIu64,
                    setup_.sequence, i, op.offset, op.reach(), setup_.capacity);
    // A pushed message goes in one piece.
    operations_[i].segments =
        setup_.push || op.is_strided()
            ? 1
            : static_cast<std::uint32_t>((op.bytes - 1) / setup_.segment_bytes + 1);
    if (op.kind == OpKind::kSend && setup_.direct) {
      operations_[i].destinations = setup_.leaders->of_node(op.peer);
    }
    if (op.takes_ahead()) ++open_takes_;
    if (op.kind == OpKind::kSend) continue;
    is_sure_ = setup_.direct || taken_over_.is_sure;  // who receives nothing has the message
    // Pushed messages all land, in whatever order.
    if (setup_.push) operations_[i].started = operations_[i].pending[0] = 1;
  }
  open_operations_ = operations_.size();
  if (setup_.served || setup_.trees != 0) {
    for_each_peer(plan, true, [&](int peer) { children_.push_back(peer); });
    if (children_.size() > kMostChildren) {
      MPIACTOR_ASSERT(!setup_.served, "%zu nodes to share", children_.size());
      children_.clear();
    } else if (!setup_.served) {
      setup_.served = &alone_;
    }
  }
  choose_windows();
  make_intake();
  order_channels();
  introduce();
  if (setup_.push) post_landings();
  start_ready();
}

// A peer is used once a call, however many operations there are with it, and where it has more to
// send than small buffers hold.
void Engine::choose_windows() {
  for (Operation& operation : operations_) {
    operation.window = static_cast<std::uint32_t>(setup_.window);
  }
  if (!setup_.peers || setup_.peers->are_all_large()) return;
  const std::vector<PlanOp>& ops = setup_.plan->ops;
  std::map<int, bool> is_large;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != OpKind::kReceiveReduce || operations_[i].segments == 1) continue;
    const auto [peer, is_new] = is_large.try_emplace(ops[i].peer, false);
    if (is_new) peer->second = setup_.peers->use(ops[i].peer);
    if (!peer->second) operations_[i].window = 1;
  }
}

// Where operations take in what must wait, or pack what they send.
void Engine::make_intake() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    const std::uint64_t bytes =
        intake_bytes(op, setup_.segment_bytes, static_cast<int>(operations_[i].window));
    operations_[i].taken = KeptBytes(bytes);
    if (op.takes_ahead()) intake_bytes_ += bytes;
  }
  PeerBuffers::take(intake_bytes_);
}

// Messages of one channel are told apart by their order alone, so both sides must start the
// operations of a channel in plan order.
void Engine::order_channels() {
  const std::vector<PlanOp>& ops = setup_.plan->ops;
  constexpr std::size_t kFew = 16;  // compared with each other, which is quicker than a map
  if (ops.size() <= kFew) {
    for (std::uint32_t i = 1; i < ops.size(); ++i) {
      for (std::uint32_t j = i; j-- > 0 && operations_[i].predecessor == kNone;) {
        if (channel_of(ops[i]) == channel_of(ops[j])) operations_[i].predecessor = j;
      }
    }
    return;
  }
  std::map<Channel, std::uint32_t> last;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const auto [entry, fresh] = last.try_emplace(channel_of(ops[i]), i);
    if (!fresh) operations_[i].predecessor = std::exchange(entry->second, i);
  }
}

}  // namespace mpiactor::inter
