// What can be seen without running: well-formed operations, matching pairs, no data races.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "inter/verifier_parts.h"

namespace mpiactor::inter::verifier {
namespace {

std::string text_of(const PlanOp& op, int node, std::size_t index) {
  static constexpr const char* kKinds[] = {"send to", "receive from", "receive and reduce from"};
  const std::string runs =
      op.is_strided() ? fmt::format(" in runs of {} every {}", op.run_bytes, op.stride_bytes) : "";
  return fmt::format("node {} op {} ({} {}, bytes [{}, {}){}, channel {})", node, index,
                     kKinds[static_cast<int>(op.kind)], op.peer, op.offset, op.reach(), runs,
                     op.channel);
}

std::string check_op(const Plan& plan, std::uint32_t index, int node, int nodes,
                     std::uint64_t space_bytes) {
  const PlanOp& op = plan.ops[index];
  if (op.peer < 0 || op.peer >= nodes) return "has a peer out of range";
  if (op.peer == node) return "has itself as peer";
  if (op.bytes == 0) return "moves no bytes";
  if (op.end() < op.offset || op.reach() < op.end()) return "has a range that overflows";
  if (op.is_strided() && op.runs() > 1 && op.stride_bytes <= op.run_bytes) {
    return "has runs that overlap or touch";
  }
  if (op.is_strided() && op.kind == OpKind::kReceiveReduce) return "is strided and reduces";
  if (op.reach() > space_bytes) return fmt::format("reaches beyond the {} bytes", space_bytes);
  if (op.channel < 0 || op.channel >= kMaxChannels) return "has a channel out of range";
  if (op.waits_begin > op.waits_end || op.waits_end > plan.waits.size()) {
    return "has waits out of range";
  }
  for (std::uint32_t wait : plan.waits_of(op)) {
    if (wait >= index) return fmt::format("waits for op {}, which is not an earlier one", wait);
  }
  return {};
}

using ChannelKey = std::tuple<int, int, int, std::uint32_t>;  // source, destination, channel, op

std::string compare_sides(const Network& network, const std::vector<ChannelKey>& sends,
                          const std::vector<ChannelKey>& receives) {
  auto channel_of = [](const ChannelKey& key) {
    return std::tuple(std::get<0>(key), std::get<1>(key), std::get<2>(key));
  };
  const std::size_t common = std::min(sends.size(), receives.size());
  for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    const bool send_alone =
        i >= receives.size() || (i < common && channel_of(sends[i]) < channel_of(receives[i]));
    const bool receive_alone =
        i >= sends.size() || (i < common && channel_of(receives[i]) < channel_of(sends[i]));
    if (send_alone || receive_alone) {
      return describe_op(network, std::get<3>(send_alone ? sends[i] : receives[i])) +
             (send_alone ? " meets no receive" : " meets no send");
    }
    const PlanOp& send = network.op(std::get<3>(sends[i]));
    const PlanOp& receive = network.op(std::get<3>(receives[i]));
    if (send.offset != receive.offset || send.bytes != receive.bytes ||
        send.run_bytes != receive.run_bytes || send.stride_bytes != receive.stride_bytes ||
        send.stream != receive.stream) {
      return describe_op(network, std::get<3>(sends[i])) + " differs from " +
             describe_op(network, std::get<3>(receives[i])) + " in range or stream";
    }
  }
  return {};
}

// Whether `later` cannot handle any byte of [begin, end), which both touch, before `earlier` has:
// each of these bytes by a wait, or by a chain of waits that all touch it or are for the whole.
bool ordered_after(const Plan& plan, std::uint32_t later, std::uint32_t earlier,
                   std::uint64_t begin, std::uint64_t end) {
  const auto waits = plan.waits_of(plan.ops[later]);
  // Mostly a wait for all of it does. Strided ones wait for all, and are waited for, as a whole.
  for (std::uint32_t wait : waits) {
    const PlanOp& op = plan.ops[wait];
    if (wait == earlier) return true;
    if (wait < earlier || !(op.is_strided() || (op.offset <= begin && end <= op.end()))) continue;
    if (ordered_after(plan, wait, earlier, begin, end)) return true;
  }
  std::vector<std::uint32_t> between;
  std::vector<std::uint64_t> cuts = {begin, end};
  for (std::uint32_t wait : waits) {
    const PlanOp& op = plan.ops[wait];
    if (wait < earlier || op.is_strided() || op.offset >= end || op.end() <= begin) continue;
    between.push_back(wait);
    cuts.push_back(std::max(begin, op.offset));
    cuts.push_back(std::min(end, op.end()));
  }
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i] == cuts[i + 1]) continue;
    const bool ordered = std::any_of(between.begin(), between.end(), [&](std::uint32_t wait) {
      const PlanOp& op = plan.ops[wait];
      return op.offset <= cuts[i] && cuts[i + 1] <= op.end() &&
             ordered_after(plan, wait, earlier, cuts[i], cuts[i + 1]);
    });
    if (!ordered) return false;
  }
  return true;
}

bool share_bytes(const PlanOp& a, const PlanOp& b) {
  if (b.is_strided() && !a.is_strided()) return share_bytes(b, a);
  bool shared = false;
  for_each_run(a, [&](std::uint64_t offset, std::uint64_t bytes) {
    if (!b.is_strided()) {
      shared = shared || (offset < b.end() && b.offset < offset + bytes);
      return;
    }
    // The first run of b that ends behind `offset`.
    const std::uint64_t before = offset < b.offset + b.run_bytes
                                     ? 0
                                     : (offset - b.offset - b.run_bytes) / b.stride_bytes + 1;
    const std::uint64_t begin = b.offset + before * b.stride_bytes;
    const bool whole = before + 1 < b.runs();
    const std::uint64_t end = whole ? begin + b.run_bytes : b.reach();
    shared = shared || (before < b.runs() && begin < offset + bytes && offset < end);
  });
  return shared;
}

// A plan's operations in the order of their ranges, to find those that touch a range.
class ByOffset {
 public:
  explicit ByOffset(const Plan& plan) : plan_(plan), order_(plan.ops.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return plan.ops[a].offset < plan.ops[b].offset;
    });
    std::uint64_t furthest = 0;
    for (std::uint32_t op : order_) {
      furthest = std::max(furthest, plan.ops[op].reach());
      furthest_end_.push_back(furthest);
    }
  }

  template <typename Visit>
  void for_each_overlapping(const PlanOp& range, Visit&& visit) const {
    auto behind = std::partition_point(order_.begin(), order_.end(), [&](std::uint32_t op) {
      return plan_.ops[op].offset < range.reach();
    });
    for (auto i = static_cast<std::size_t>(behind - order_.begin()); i-- > 0;) {
      if (furthest_end_[i] <= range.offset) return;
      if (share_bytes(plan_.ops[order_[i]], range)) visit(order_[i]);
    }
  }

 private:
  const Plan& plan_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint64_t> furthest_end_;  // of the operations up to here
};

// Two receives of one channel from different peers cannot be told apart where the sender's leader
// is not known.
std::string check_channels(const Plan& plan, int node, const Scenario& scenario) {
  const auto receives = std::count_if(plan.ops.begin(), plan.ops.end(),
                                      [](const PlanOp& op) { return op.kind != OpKind::kSend; });
  const bool is_large_alltoall =
      scenario.collective == Collective::kAlltoall && scenario.shape.nodes() > kMaxChannels;
  if (receives > kMaxChannels || is_large_alltoall) return {};  // the receiver names the source
  std::unordered_map<int, std::size_t> first_on_channel;
  for (std::size_t index = 0; index < plan.ops.size(); ++index) {
    const PlanOp& op = plan.ops[index];
    if (op.kind == OpKind::kSend) continue;
    const auto [first, fresh] = first_on_channel.try_emplace(op.channel, index);
    if (fresh || plan.ops[first->second].peer == op.peer) continue;
    return text_of(op, node, index) + " has the channel of " +
           text_of(plan.ops[first->second], node, first->second) + ", from another peer";
  }
  return {};
}

}  // namespace

std::string describe_op(const Network& network, std::uint32_t op) {
  const int node = network.node_of_op[op];
  return text_of(network.op(op), node, op - network.first_op[static_cast<std::size_t>(node)]);
}

std::string check_layouts(std::span<const Plan> plans, const Scenario& scenario) {
  const BufferLayout layout = plans.front().layout;
  for (std::size_t node = 1; node < plans.size(); ++node) {
    if (plans[node].layout != layout) {
      return fmt::format("the plan of node {} has another layout than that of node 0", node);
    }
  }
  if (layout != BufferLayout::kMessage && scenario.collective != Collective::kAlltoall) {
    return fmt::format("{} has a layout for alltoall", collective_name(scenario.collective));
  }
  if (scenario.sizes.empty() == (layout == BufferLayout::kOwnBuffers)) {
    return scenario.sizes.empty() ? "plans in own buffers need the sizes of all blocks"
                                  : "blocks of different sizes need plans in own buffers";
  }
  return {};
}

std::string check_ops(std::span<const Plan> plans, const Scenario& scenario) {
  const int nodes = static_cast<int>(plans.size());
  const bool by_distance = plans.front().layout == BufferLayout::kByDistance;
  const std::uint64_t space_bytes = scenario.bytes / (by_distance ? plans.size() : 1);
  for (int node = 0; node < nodes; ++node) {
    const Plan& plan = plans[static_cast<std::size_t>(node)];
    for (std::uint32_t index = 0; index < plan.ops.size(); ++index) {
      const std::string error = check_op(plan, index, node, nodes, space_bytes);
      if (!error.empty()) return text_of(plan.ops[index], node, index) + " " + error;
    }
    const std::string error = check_channels(plan, node, scenario);
    if (!error.empty()) return error;
  }
  return {};
}

std::string match(std::span<const Plan> plans, Network& network) {
  network.plans = plans;
  std::vector<ChannelKey> sends;
  std::vector<ChannelKey> receives;
  for (std::size_t node = 0; node < plans.size(); ++node) {
    network.first_op.push_back(static_cast<std::uint32_t>(network.node_of_op.size()));
    for (const PlanOp& op : plans[node].ops) {
      const auto number = static_cast<std::uint32_t>(network.node_of_op.size());
      const int self = static_cast<int>(node);
      network.node_of_op.push_back(self);
      if (op.kind == OpKind::kSend) {
        sends.emplace_back(self, op.peer, op.channel, number);
      } else {
        receives.emplace_back(op.peer, self, op.channel, number);
      }
    }
  }
  network.first_op.push_back(static_cast<std::uint32_t>(network.node_of_op.size()));
  std::sort(sends.begin(), sends.end());
  std::sort(receives.begin(), receives.end());
  const std::string error = compare_sides(network, sends, receives);
  if (!error.empty()) return error;

  network.transfer_of_op.resize(network.op_count());
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    const auto& [source, destination, channel, send_op] = sends[i];
    const std::uint32_t receive_op = std::get<3>(receives[i]);
    network.transfer_of_op[send_op] = number;
    network.transfer_of_op[receive_op] = number;
    network.transfers.push_back({send_op, receive_op, kNone});
    network.previous_on_channel.push_back(kNone);
    if (i > 0 && std::tie(source, destination, channel) == std::tie(std::get<0>(sends[i - 1]),
                                                                    std::get<1>(sends[i - 1]),
                                                                    std::get<2>(sends[i - 1]))) {
      network.transfers[i - 1].next_on_channel = number;
      network.previous_on_channel[i] = number - 1;
    }
  }
  return {};
}

std::string check_races(const Network& network) {
  for (std::size_t node = 0; node < network.plans.size(); ++node) {
    const Plan& plan = network.plans[node];
    const ByOffset by_offset(plan);
    for (std::uint32_t writer = 0; writer < plan.ops.size(); ++writer) {
      const PlanOp& write = plan.ops[writer];
      if (write.kind == OpKind::kSend) continue;
      std::uint32_t culprit = kNone;
      by_offset.for_each_overlapping(write, [&](std::uint32_t other) {
        if (other == writer) return;
        const PlanOp& op = plan.ops[other];
        const auto [first, second] = std::minmax(writer, other);
        if (!ordered_after(plan, second, first, std::max(write.offset, op.offset),
                           std::min(write.reach(), op.reach()))) {
          culprit = other;
        }
      });
      if (culprit != kNone) {
        const std::uint32_t base = network.first_op[node];
        return describe_op(network, base + std::max(writer, culprit)) + " does not wait for " +
               describe_op(network, base + std::min(writer, culprit)) +
               ", with which it shares bytes";
      }
    }
  }
  return {};
}

}  // namespace mpiactor::inter::verifier
