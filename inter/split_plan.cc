#include "inter/split_plan.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace mpiactor::inter {
namespace {

bool waits_for_first_alone(const Plan& plan, const PlanOp& op, const std::vector<bool>& is_first) {
  const auto waits = plan.waits_of(op);
  return std::all_of(waits.begin(), waits.end(),
                     [&](std::uint32_t wait) { return is_first[wait]; });
}

std::vector<bool> find_first_sends(const Plan& plan) {
  std::map<std::pair<int, int>, int> sends;  // by peer and channel
  for (const PlanOp& op : plan.ops) {
    if (op.kind == OpKind::kSend) ++sends[{op.peer, op.channel}];
  }
  std::vector<bool> is_first(plan.ops.size());
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    is_first[i] = op.kind == OpKind::kSend && sends[{op.peer, op.channel}] == 1 &&
                  waits_for_first_alone(plan, op, is_first);
  }
  return is_first;
}

// The operations that are `wanted`; what they wait for of others is left out.
Plan part_of(const Plan& plan, const std::vector<bool>& is_first, bool wanted) {
  Plan part;
  part.layout = plan.layout;
  std::vector<std::uint32_t> index(plan.ops.size(), Plan::kNoOp);
  std::vector<std::uint32_t> waits;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    if (is_first[i] != wanted) continue;
    waits.clear();
    for (const std::uint32_t wait : plan.waits_of(plan.ops[i])) waits.push_back(index[wait]);
    index[i] = part.add(plan.ops[i], waits);
  }
  return part;
}

bool overlap(const PlanOp& a, const PlanOp& b) {
  return a.offset < b.reach() && b.offset < a.reach();
}

bool is_overwritten(const PlanOp& send, const Plan& rest) {
  return std::any_of(rest.ops.begin(), rest.ops.end(), [&](const PlanOp& op) {
    return op.kind != OpKind::kSend && overlap(op, send);
  });
}

}  // namespace

SplitPlan split_plan(const Plan& plan) {
  const std::vector<bool> is_first = find_first_sends(plan);
  SplitPlan split{part_of(plan, is_first, true), part_of(plan, is_first, false), {}};
  std::vector<PlanOp>& sends = split.first.ops;
  if (std::none_of(sends.begin(), sends.end(),
                   [&](const PlanOp& send) { return is_overwritten(send, split.rest); })) {
    return split;
  }
  std::uint64_t begin = sends.front().offset;
  std::uint64_t end = 0;
  for (const PlanOp& send : sends) {
    begin = std::min(begin, send.offset);
    end = std::max(end, send.reach());
  }
  for (PlanOp& send : sends) send.offset -= begin;
  split.copied = {begin, end - begin};
  return split;
}

std::optional<Rounds> find_rounds(const SplitPlan& split) {
  if (split.copied.bytes != 0) return std::nullopt;
  const Plan& rest = split.rest;
  Rounds rounds;
  rounds.receives.layout = rounds.sends.layout = rest.layout;
  std::vector<bool> is_awaited(rest.ops.size());
  for (const PlanOp& op : rest.ops) {
    const auto waits = rest.waits_of(op);
    if (op.kind == OpKind::kSend) {
      for (const std::uint32_t wait : waits) is_awaited[wait] = true;
    } else if (op.takes_ahead() || !waits.empty()) {
      return std::nullopt;
    }
  }
  const auto awaited = std::count(is_awaited.begin(), is_awaited.end(), true);
  for (std::size_t i = 0; i < rest.ops.size(); ++i) {
    const PlanOp& op = rest.ops[i];
    if (op.kind == OpKind::kSend) {
      const auto waits = rest.waits_of(op);
      if (is_awaited[i] || static_cast<std::ptrdiff_t>(waits.size()) != awaited)
        return std::nullopt;
      rounds.sends.add(op);
    } else {
      rounds.receives.add(op);
      rounds.is_first.push_back(is_awaited[i]);
    }
  }
  if (rounds.sends.ops.empty()) rounds.is_first.assign(rounds.is_first.size(), true);
  return rounds;
}

}  // namespace mpiactor::inter
