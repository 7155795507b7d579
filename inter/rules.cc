#include "inter/rules.h"

#include <limits>
#include <stdexcept>
#include <string>

#include "inter/built_in_rules.h"

namespace mpiactor::inter {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint64_t>::max();

bool same_shape(const Shape& a, const Shape& b) {
  for (int axis = 0; axis < 3; ++axis) {
    if (a.extent[axis] != b.extent[axis]) return false;
    if (a.extent[axis] > 2 && a.wraps[axis] != b.wraps[axis]) return false;
  }
  return true;
}

// Times what a call's bytes are.
struct Factor {
  Wide times = 1;
  Wide over = 1;
};

Factor factor_of(Call call, Rule::Measure measure, std::int64_t node_count, std::uint64_t ranks) {
  const auto nodes = static_cast<Wide>(node_count);
  switch (measure) {
    case Rule::Measure::kCall:
      return {};
    case Rule::Measure::kMessage:
      if (call == Call::kAllgather || call == Call::kAllgatherv) return {ranks, nodes};
      if (call == Call::kAlltoall) return {Wide{ranks} * ranks, nodes * nodes};
      return {};
    case Rule::Measure::kBuffer:
      return {ranks, 1};
    case Rule::Measure::kBuffers:
      return {Wide{ranks} * ranks, 1};
  }
  return {};
}

std::uint64_t bounded(Wide value) {
  return value > kMostBytes ? kMostBytes : static_cast<std::uint64_t>(value);
}

struct Interval {
  std::uint64_t least = 0;
  std::uint64_t most = kMostBytes;
  bool is_empty() const { return least > most; }
};

// The `x` for which a rule fits bytes of floor(x times / over).
Interval sizes_of(const Rule& rule, const Factor& factor) {
  Interval sizes;
  sizes.least = bounded((Wide{rule.least_bytes} * factor.over + factor.times - 1) / factor.times);
  if (rule.up_to_bytes != kMostBytes) {
    const Wide too_much = (Wide{rule.up_to_bytes} + 1) * factor.over;
    sizes.most = bounded((too_much + factor.times - 1) / factor.times - 1);
  }
  return sizes;
}

std::uint64_t ranks_of(const Shape& shape, const Layout& layout) {
  return layout.ranks != 0 ? layout.ranks : static_cast<std::uint64_t>(shape.nodes());
}

bool fits_place(const Rule& rule, const Shape& shape, const Layout& layout, const LinkModel& link) {
  if (!rule.nodes.has(shape.nodes()) || !rule.ranks.has(layout.members)) return false;
  if (rule.crowded && *rule.crowded != layout.crowded) return false;
  if (rule.never_worse && *rule.never_worse != layout.never_worse) return false;
  if (rule.shape && !same_shape(*rule.shape, shape)) return false;
  if (rule.network && (*rule.network == NetworkKind::kTorus) != link.is_torus(shape)) return false;
  return !rule.algorithm || rule.algorithm->supports(shape);
}

// Whether every node has something for every other one.
bool is_exchange(Call call) {
  return call == Call::kAllreduce || call == Call::kAllgather || call == Call::kAllgatherv ||
         call == Call::kAlltoall;
}

bool is_possible(const Rule& rule, Call call, const Shape& shape, const Layout& layout) {
  const bool few = shape.nodes() <= kMostDirectNodes;
  switch (rule.way) {
    case Way::kLibrary:
      return layout.never_worse || (call == Call::kScatterv && shape.nodes() > 1);
    case Way::kStaging:
    case Way::kSingleCopy:
    case Way::kSendBuffers:
      return shape.nodes() == 1;
    case Way::kDirect:
      if (shape.nodes() == 1) return false;
      if (is_exchange(call) && !few) return false;
      // The tags of messages tell so many nodes apart.
      if (call == Call::kReduce && shape.nodes() > kMaxChannels) return false;
      return !(is_exchange(call) || call == Call::kReduce) || !layout.asks_plan(call);
    case Way::kShares:
      return shape.nodes() > 1 && few && !layout.asks_plan(call);
    case Way::kPlan:
      return shape.nodes() > 1;
  }
  return false;
}

unsigned needs_of(const Rule& rule, Call call) {
  unsigned needs = rule.by_arrival ? kOrderIsFree : 0;
  if (rule.way == Way::kLibrary) needs |= rule.blocking ? kMayPassBlocking : kMayPass;
  if (rule.way == Way::kSingleCopy) needs |= kReadsOthers;
  if (rule.way == Way::kSendBuffers) needs |= kHasSendBuffers;
  if (rule.way == Way::kDirect && is_exchange(call)) needs |= kCompetes;
  if (rule.way == Way::kShares) needs |= kCombinesShares;
  return needs;
}

}  // namespace

unsigned abilities_of(const CallKind& kind, std::uint64_t bytes) {
  unsigned can = kHasSendBuffers;
  if (kind.reads_others) can |= kReadsOthers;
  const bool is_long = bytes > kShortReductionBytes;
  const bool as_they_come = kind.as_they_come && is_long;
  if (kind.competes) can |= as_they_come ? kCompetes : kCompetes | kCombinesShares;
  if (as_they_come || (kind.order_is_free && is_long)) can |= kOrderIsFree;
  return can;
}

std::vector<RuleRow> rule_rows(const Tuning& tuning, Call call, const Shape& shape,
                               const Layout& layout) {
  std::vector<RuleRow> rows;
  const std::uint64_t ranks = ranks_of(shape, layout);
  for (const std::span<const Rule> rules : {tuning.own(call), built_in_rules(call)}) {
    for (const Rule& rule : rules) {
      if (!fits_place(rule, shape, layout, tuning.link)) continue;
      if (!is_possible(rule, call, shape, layout)) continue;
      const Interval sizes = sizes_of(rule, factor_of(call, rule.of, shape.nodes(), ranks));
      if (sizes.is_empty()) continue;
      rows.push_back({sizes.least, sizes.most, needs_of(rule, call), &rule});
    }
  }
  return rows;
}

RuleTable::RuleTable(const Tuning& tuning, const Shape& shape, const Layout& layout) {
  for (const Call call : all_calls()) {
    rows_[static_cast<std::size_t>(call)] = rule_rows(tuning, call, shape, layout);
  }
}

const Rule& RuleTable::no_rule(Call call) {
  throw std::logic_error(std::string("no rule for ") + call_name(call));
}

const Rule& find_rule(const Tuning& tuning, Call call, const Shape& shape, const Layout& layout,
                      std::uint64_t bytes, unsigned abilities) {
  for (const RuleRow& row : rule_rows(tuning, call, shape, layout)) {
    if (row.fits(bytes, abilities)) return *row.rule;
  }
  throw std::logic_error(std::string("no rule for ") + call_name(call));
}

const Rule* find_plan_rule(const Tuning& tuning, Collective collective, const Shape& shape,
                           std::uint64_t message_bytes, const Layout& layout) {
  const Call call = call_of(collective);
  const std::uint64_t ranks = ranks_of(shape, layout);
  const Factor message = factor_of(call, Rule::Measure::kMessage, shape.nodes(), ranks);
  for (const std::span<const Rule> rules : {tuning.own(call), built_in_rules(call)}) {
    for (const Rule& rule : rules) {
      // How members combine says nothing of the nodes' plan.
      if (rule.way != Way::kPlan || rule.by_arrival) continue;
      if (!fits_place(rule, shape, layout, tuning.link)) continue;
      const Factor own = factor_of(call, rule.of, shape.nodes(), ranks);
      const Interval sizes = sizes_of(rule, {own.times * message.over, own.over * message.times});
      if (message_bytes < sizes.least || message_bytes > sizes.most) continue;
      return rule.algorithm ? &rule : nullptr;
    }
  }
  return nullptr;
}

}  // namespace mpiactor::inter
