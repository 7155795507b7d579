#include "actor/collectives/bcast_way.h"

#include <algorithm>
#include <cstddef>

#include "inter/select.h"

namespace mpiactor {

const Choice& BcastWay::choice() const {
  if (choice_) return *choice_;
  choice_ = container_.choose(inter::Collective::kBcast, root_node_, bytes_);
  if (bytes_ <= push_limit_ && !is_pushed() && root_may_serve_all()) serve_all();
  return *choice_;
}

void BcastWay::choose_push(const RequestLeaders& leaders) {
  const auto& ops = choice().plan.ops;
  const auto is_whole = [&](const inter::PlanOp& op) { return op.bytes == bytes_; };
  if (!is_pushed() || ops.empty() || !std::all_of(ops.begin(), ops.end(), is_whole)) return;
  const std::size_t candidates = leaders.of_node(ops.front().peer).size();
  const bool may_serve_all = root_may_serve_all();
  const auto nodes =
      may_serve_all ? static_cast<std::size_t>(container_.nodes().nodes() - 1) : ops.size();
  const std::size_t comers = container_.nodes().members(container_.node()).size() - 1;
  if (container_.copy_choice().few_will_do(nodes * candidates - ops.size(), comers)) {
    take_push(inter::Push::kToOne);
  } else {
    take_push(may_serve_all ? inter::Push::kFromRoot : inter::Push::kToAll);
  }
}

void BcastWay::take_push(inter::Push push) {
  push_ = push;
  if (push == inter::Push::kFromRoot) serve_all();
}

bool BcastWay::root_may_serve_all() const {
  return inter::root_may_serve_all(choice().selection, container_.nodes().nodes());
}

// From now on the root's node sends to all others.
void BcastWay::serve_all() const {
  choice_ = container_.served_by_root(choice(), root_node_, bytes_);
}

}  // namespace mpiactor
