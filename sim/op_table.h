// The plans of all nodes that have been needed so far, in the compact form that the simulation
// walks: operations of one node lie side by side, named by one running number.
#ifndef MPIACTOR_SIM_OP_TABLE_H_
#define MPIACTOR_SIM_OP_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "inter/plan.h"
#include "sim/fetch_ahead.h"
#include "sim/network.h"

namespace mpiactor::sim {

using OpId = std::uint32_t;

inline constexpr std::uint32_t kNone = 0xffffffffu;

// What every event touches: half a cache line, so that the operations of a node share few.
struct Op {
  std::uint32_t node = 0;
  OpId match = kNone;  // the other side, once known
  std::uint32_t segments = 0;
  std::uint32_t started = 0;  // segments sent, or arrived
  std::uint32_t done = 0;     // segments finished
  // The only wait, where it covers all of this range from the same offset: segment numbers can be
  // compared. kNone: see OpDetail.
  OpId follows = kNone;
  std::uint32_t dependents_begin = kNone;  // a count, then as many operations; kNone: none
  std::uint32_t link : 28 = kManyLinks;    // the only link of the route
  std::uint32_t is_send : 1 = 0;
  std::uint32_t reduces : 1 = 0;
  std::uint32_t pushed : 1 = 0;  // goes without waiting for the receiver
  // Of a receive: its node has arrived and it waits for nothing. Of a send: its receive is open and
  // the rendezvous over.
  std::uint32_t open : 1 = 0;

  static constexpr std::uint32_t kManyLinks = (1u << 28) - 1;
};
static_assert(sizeof(Op) == 32);

// What is needed seldom.
struct OpDetail {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t peer = 0;
  std::uint32_t channel = 0;
  std::uint32_t waits_begin = 0;
  std::uint32_t waits_count = 0;
  std::uint32_t wait_cursor = 0;  // waits before it hold for the next segment
  std::uint32_t accepted = 0;     // receives: segments that are combined or being combined
  // Operations of the same kind with the same peer on the same channel, in plan order.
  OpId previous = kNone;
  OpId next = kNone;

  std::uint64_t end() const { return offset + bytes; }
};

class OpTable {
 public:
  OpTable(std::uint32_t nodes, std::uint64_t segment_bytes);

  // Takes over a node's plan. Throws PlanError.
  void add_node(std::uint32_t node, const inter::Plan& plan);
  bool has_node(std::uint32_t node) const { return nodes_[node].first_op != kNone; }

  OpId first_op(std::uint32_t node) const { return nodes_[node].first_op; }
  std::uint32_t op_count(std::uint32_t node) const { return nodes_[node].op_count; }

  Op& op(OpId id) { return ops_[id]; }
  const Op& op(OpId id) const { return ops_[id]; }
  OpDetail& detail(OpId id) { return details_[id]; }
  const OpDetail& detail(OpId id) const { return details_[id]; }

  std::span<const OpId> waits(OpId id) const {
    return {lists_.data() + details_[id].waits_begin, details_[id].waits_count};
  }
  std::span<const OpId> dependents(const Op& op) const {
    if (op.dependents_begin == kNone) return {};
    return {lists_.data() + op.dependents_begin + 1, lists_[op.dependents_begin]};
  }
  void prefetch(OpId id) const { fetch_ahead(&ops_[id]); }
  void prefetch_dependents(const Op& op) const {
    if (op.dependents_begin != kNone) fetch_ahead(&lists_[op.dependents_begin]);
  }

  // The receive that belongs to a send; both nodes must be here. Checks that the two agree and
  // joins them. Throws PlanError.
  OpId join(OpId send);

  std::uint64_t bytes_of_last_segment(OpId id) const {
    return details_[id].bytes - (ops_[id].segments - 1) * segment_bytes_;
  }

  // Whether `waited` has finished what segment `segment` of `id` needs of it.
  bool satisfied(OpId id, std::uint32_t segment, OpId waited) const;

 private:
  struct Node {
    OpId first_op = kNone;
    std::uint32_t op_count = 0;
    std::uint32_t receives_begin = 0;  // into receives_
    std::uint32_t receives_count = 0;
  };

  void append_ops(std::uint32_t node, const inter::Plan& plan);
  void append_waits(std::uint32_t node, const inter::Plan& plan);
  void append_dependents(std::uint32_t node);
  void append_channels(std::uint32_t node);

  std::uint64_t segment_bytes_;
  std::vector<Node> nodes_;
  std::vector<Op> ops_;
  std::vector<OpDetail> details_;
  std::vector<OpId> lists_;     // waits and dependents of all operations
  std::vector<OpId> receives_;  // per node, ordered by (peer, channel)
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_OP_TABLE_H_
