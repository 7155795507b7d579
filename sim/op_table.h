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
  // The operations that wait for this one, see OpTable::dependents(); 0: none.
  std::uint32_t dependents = 0;
  std::uint32_t link : 28 = kManyLinks;  // the only link of the route, or one of the below
  std::uint32_t is_send : 1 = 0;
  std::uint32_t reduces : 1 = 0;  // or unpacks runs, which costs memory time likewise
  std::uint32_t pushed : 1 = 0;   // goes without waiting for the receiver
  // Of a receive: its node has arrived and it waits for nothing. Of a send: its receive is open and
  // the rendezvous over.
  std::uint32_t open : 1 = 0;

  static constexpr std::uint32_t kManyLinks = (1u << 28) - 1;
  static constexpr std::uint32_t kMemory = kManyLinks - 1;  // both nodes have one place
  bool has_one_link() const { return link < kMemory; }
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
  bool strided = false;      // one segment; waits are for the whole, see inter::PlanOp
  bool own_buffers = false;  // see inter::BufferLayout

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
  // The operations that wait for one. Most plans have them side by side behind it, so that nothing
  // but the operation itself need be read: then the bits of Op::dependents are 1, the first one's
  // distance to it (kDistanceBits), the number (kCountBits); else 0 and an index of lists_, where a
  // count and as many operations are.
  class Dependents {
   public:
    Dependents(OpId first, const OpId* list, std::uint32_t count)
        : first_(first), list_(list), count_(count) {}
    std::uint32_t size() const { return count_; }
    OpId operator[](std::uint32_t k) const { return list_ == nullptr ? first_ + k : list_[k]; }

   private:
    OpId first_;
    const OpId* list_;  // nullptr: first_, first_ + 1, ...
    std::uint32_t count_;
  };
  Dependents dependents(OpId id) const {
    const std::uint32_t coded = ops_[id].dependents;
    if ((coded & kSideBySide) != 0) {
      return {id + (coded >> kCountBits & kMostDistance), nullptr, coded & kMostCount};
    }
    if (coded == 0) return {kNone, nullptr, 0};
    return {kNone, lists_.data() + coded + 1, lists_[coded]};
  }
  void prefetch(OpId id) const { fetch_ahead(&ops_[id]); }
  void prefetch_dependents(const Op& op) const {
    const bool listed = op.dependents != 0 && (op.dependents & kSideBySide) == 0;
    if (listed) fetch_ahead(&lists_[op.dependents]);
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

  static constexpr std::uint32_t kSideBySide = 1u << 31;
  static constexpr unsigned kDistanceBits = 16;
  static constexpr unsigned kCountBits = 15;
  static constexpr std::uint32_t kMostDistance = (1u << kDistanceBits) - 1;
  static constexpr std::uint32_t kMostCount = (1u << kCountBits) - 1;

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
