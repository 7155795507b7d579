#include "sim/op_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/simulation.h"

namespace mpiactor::sim {
namespace {

std::uint32_t narrow(std::size_t value, std::uint32_t end, const char* what) {
  if (value >= end) throw PlanError(fmt::format("more than {} {}", end - 1, what));
  return static_cast<std::uint32_t>(value);
}

std::uint32_t narrow(std::size_t value, const char* what) { return narrow(value, kNone, what); }

}  // namespace

OpTable::OpTable(std::uint32_t nodes, std::uint64_t segment_bytes)
    : segment_bytes_(segment_bytes), nodes_(nodes) {}

void OpTable::add_node(std::uint32_t node, const inter::Plan& plan) {
  nodes_[node].first_op = narrow(ops_.size(), "operations");
  nodes_[node].op_count = narrow(plan.ops.size(), "operations");
  append_ops(node, plan);
  append_waits(node, plan);
  append_dependents(node);
  append_channels(node);
}

void OpTable::append_ops(std::uint32_t node, const inter::Plan& plan) {
  for (std::size_t index = 0; index < plan.ops.size(); ++index) {
    const inter::PlanOp& planned = plan.ops[index];
    const auto where = [&] { return fmt::format("plan of node {}, operation {}", node, index); };
    if (planned.peer < 0 || static_cast<std::size_t>(planned.peer) >= nodes_.size() ||
        static_cast<std::uint32_t>(planned.peer) == node) {
      throw PlanError(fmt::format("{}: peer is {}; allowed: another node of 0 to {}", where(),
                                  planned.peer, nodes_.size() - 1));
    }
    if (planned.channel < 0 || planned.channel >= inter::kMaxChannels) {
      throw PlanError(fmt::format("{}: channel is {}; allowed: 0 to {}", where(), planned.channel,
                                  inter::kMaxChannels - 1));
    }
    if (planned.bytes == 0) throw PlanError(where() + ": no bytes");
    Op op;
    op.node = node;
    op.is_send = planned.kind == inter::OpKind::kSend;
    op.reduces = planned.takes_ahead();
    op.segments = planned.is_strided()
                      ? 1
                      : narrow((planned.bytes + segment_bytes_ - 1) / segment_bytes_, "segments");
    ops_.push_back(op);
    OpDetail detail;
    detail.offset = planned.offset;
    detail.bytes = planned.bytes;
    detail.peer = static_cast<std::uint32_t>(planned.peer);
    detail.channel = static_cast<std::uint32_t>(planned.channel);
    detail.strided = planned.is_strided();
    detail.own_buffers = plan.layout == inter::BufferLayout::kOwnBuffers;
    details_.push_back(detail);
  }
}

void OpTable::append_waits(std::uint32_t node, const inter::Plan& plan) {
  const OpId first = nodes_[node].first_op;
  for (std::size_t index = 0; index < plan.ops.size(); ++index) {
    const OpId id = first + static_cast<OpId>(index);
    OpDetail& detail = details_[id];
    detail.waits_begin = narrow(lists_.size(), "waits");
    for (const std::uint32_t waited : plan.waits_of(plan.ops[index])) {
      if (waited >= plan.ops.size() || waited == index) {
        throw PlanError(
            fmt::format("plan of node {}, operation {}: waits for operation {}; allowed: another "
                        "of 0 to {}",
                        node, index, waited, plan.ops.size() - 1));
      }
      lists_.push_back(first + waited);
    }
    detail.waits_count = narrow(lists_.size(), "waits") - detail.waits_begin;
    if (detail.waits_count == 1) {
      const OpId waited = lists_.back();
      if (details_[waited].offset == detail.offset && details_[waited].bytes >= detail.bytes) {
        ops_[id].follows = waited;
      }
    }
  }
}

void OpTable::append_dependents(std::uint32_t node) {
  const OpId first = nodes_[node].first_op;
  std::vector<std::vector<OpId>> dependents(nodes_[node].op_count);
  for (OpId id = first; id < first + nodes_[node].op_count; ++id) {
    for (const OpId waited : waits(id)) dependents[waited - first].push_back(id);
  }
  for (OpId id = first; id < first + nodes_[node].op_count; ++id) {
    const std::vector<OpId>& own = dependents[id - first];
    if (own.empty()) continue;
    const bool gaps = std::adjacent_find(own.begin(), own.end(),
                                         [](OpId a, OpId b) { return b != a + 1; }) != own.end();
    const bool side_by_side =
        !gaps && own.front() > id && own.front() - id <= kMostDistance && own.size() <= kMostCount;
    if (side_by_side) {
      ops_[id].dependents =
          kSideBySide | (own.front() - id) << kCountBits | static_cast<std::uint32_t>(own.size());
      continue;
    }
    ops_[id].dependents = narrow(lists_.size(), kSideBySide, "waits");
    lists_.push_back(static_cast<OpId>(own.size()));
    lists_.insert(lists_.end(), own.begin(), own.end());
  }
}

void OpTable::append_channels(std::uint32_t node) {
  Node& entry = nodes_[node];
  const auto key = [this](OpId id) {
    return std::tuple(ops_[id].is_send != 0, details_[id].peer, details_[id].channel);
  };
  std::vector<OpId> ordered(entry.op_count);
  std::iota(ordered.begin(), ordered.end(), entry.first_op);
  std::stable_sort(ordered.begin(), ordered.end(), [&](OpId a, OpId b) { return key(a) < key(b); });
  for (std::size_t k = 1; k < ordered.size(); ++k) {
    if (key(ordered[k]) != key(ordered[k - 1])) continue;
    details_[ordered[k]].previous = ordered[k - 1];
    details_[ordered[k - 1]].next = ordered[k];
  }
  entry.receives_begin = narrow(receives_.size(), "receives");
  for (const OpId id : ordered) {
    if (ops_[id].is_send == 0) receives_.push_back(id);
  }
  entry.receives_count = narrow(receives_.size(), "receives") - entry.receives_begin;
}

OpId OpTable::join(OpId send) {
  const OpDetail& sent = details_[send];
  const std::uint32_t sender = ops_[send].node;
  const Node& receiver = nodes_[sent.peer];
  const auto begin = receives_.begin() + receiver.receives_begin;
  const auto end = begin + receiver.receives_count;
  const auto wanted = std::pair(sender, sent.channel);
  auto found = std::lower_bound(begin, end, wanted, [this](OpId id, const auto& key) {
    return std::pair(details_[id].peer, details_[id].channel) < key;
  });
  const auto fail = [&](const std::string& problem) -> void {
    throw PlanError(fmt::format("send of node {} to node {}, channel {}, bytes {} to {}: {}",
                                sender, sent.peer, sent.channel, sent.offset, sent.end(), problem));
  };
  for (OpId before = sent.previous; before != kNone && found != end;) {
    before = details_[before].previous;
    ++found;
  }
  if (found == end || details_[*found].peer != sender || details_[*found].channel != sent.channel) {
    fail("the receiver's plan has no such receive");
  }
  const OpDetail& received = details_[*found];
  if (received.bytes != sent.bytes || (received.offset != sent.offset && !sent.own_buffers)) {
    fail(fmt::format("the receive is for bytes {} to {}", received.offset, received.end()));
  }
  ops_[*found].match = send;
  ops_[send].match = *found;
  return *found;
}

bool OpTable::satisfied(OpId id, std::uint32_t segment, OpId waited) const {
  const Op& before = ops_[waited];
  if (before.done == before.segments) return true;
  const OpDetail& own = details_[id];
  const OpDetail& other = details_[waited];
  if (own.strided || other.strided) return false;
  if (own.end() <= other.offset || other.end() <= own.offset) return false;  // a pure ordering
  const std::uint64_t low = own.offset + segment * segment_bytes_;
  const std::uint64_t high = std::min(low + segment_bytes_, own.end());
  if (high <= other.offset || other.end() <= low) return true;
  return before.done * segment_bytes_ >= std::min(high, other.end()) - other.offset;
}

}  // namespace mpiactor::sim
