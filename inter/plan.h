// A plan: what one node sends and receives in one collective, as data.
//
// Plans name nodes (0 .. nodes-1 of a communicator), never ranks, and know nothing of MPI or of
// shared memory. The same plan is run by the engine (inter/engine.h), played by the simulator
// (sim/) and checked by the verifier (inter/verifier.h).
#ifndef MPIACTOR_INTER_PLAN_H_
#define MPIACTOR_INTER_PLAN_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace mpiactor::inter {

// kReceiveReduce combines what comes with what is there. It takes segments into memory of its own
// first, so its waits hold back the combining, never the taking: two nodes may swap the same bytes
// and reduce, each receive waiting for the node's own send of these bytes.
enum class OpKind : std::uint8_t { kSend, kReceive, kReceiveReduce };

// One transfer with one peer node over one byte range of the message.
//
// Waits: an operation may handle byte b only when every waited operation whose range covers b has
// finished b; a waited operation whose range does not overlap at all must have finished entirely
// (a pure ordering). Ranges are cut into segments by whoever runs the plan, from `offset` upwards,
// equally on both sides, and an operation's segments go in order.
struct PlanOp {
  OpKind kind = OpKind::kSend;
  int peer = 0;              // node rank
  std::uint64_t offset = 0;  // first byte of the message
  std::uint64_t bytes = 0;   // never 0
  int stream = 0;            // tree of the plan that this byte range belongs to
  // Tells the messages that a node receives apart; the sending and the receiving operation carry
  // the same number. 0 <= channel < kMaxChannels. A receiver may not know who leads the sending
  // node and tells messages by channel alone, so all its operations on one channel have the same
  // peer (in plans with up to kMaxChannels receives; in longer ones it must name the source).
  // Operations with equal (source, destination, channel) match one by one in plan order, which is
  // therefore the same on both sides, and none starts a segment before the one before it has
  // started its last. Broadcasts use a channel twice only when they have more steps than there are
  // channels; other collectives may do so earlier.
  int channel = 0;
  std::uint32_t waits_begin = 0;  // into Plan::waits
  std::uint32_t waits_end = 0;

  std::uint64_t end() const { return offset + bytes; }
};

inline constexpr int kMaxChannels = 1 << 10;

// The operations of one node. Memory is O(own operations).
struct Plan {
  std::vector<PlanOp> ops;
  std::vector<std::uint32_t> waits;  // indices into ops, see PlanOp::waits_begin

  std::span<const std::uint32_t> waits_of(const PlanOp& op) const {
    return {waits.data() + op.waits_begin, waits.data() + op.waits_end};
  }

  // Appends an operation that waits for `wait_for` (indices of earlier ones); returns its index.
  // An operation over no bytes is left out: kNoOp, which is allowed and ignored in `wait_for`.
  static constexpr std::uint32_t kNoOp = 0xffffffffu;
  std::uint32_t add(PlanOp op, std::span<const std::uint32_t> wait_for) {
    if (op.bytes == 0) return kNoOp;
    op.waits_begin = static_cast<std::uint32_t>(waits.size());
    for (std::uint32_t wait : wait_for) {
      if (wait != kNoOp) waits.push_back(wait);
    }
    op.waits_end = static_cast<std::uint32_t>(waits.size());
    ops.push_back(op);
    return static_cast<std::uint32_t>(ops.size() - 1);
  }
  std::uint32_t add(const PlanOp& op, std::initializer_list<std::uint32_t> wait_for = {}) {
    return add(op, std::span<const std::uint32_t>(wait_for.begin(), wait_for.size()));
  }
};

// Nodes as points of a 1-, 2- or 3-D grid; an unused dimension has extent 1.
// Node rank = x + extent[0] * (y + extent[1] * z).
struct Shape {
  int extent[3] = {1, 1, 1};
  bool wraps[3] = {true, true, true};  // torus (true) or mesh (false), per axis

  std::int64_t nodes() const {
    return static_cast<std::int64_t>(extent[0]) * extent[1] * extent[2];
  }
  static Shape line(int nodes) { return Shape{{nodes, 1, 1}, {true, true, true}}; }
};

// What a plan is made from: the same on every node but for `node`.
struct PlanInput {
  Shape shape;
  int root_node = 0;  // where there is none (allreduce): the root of the trees, any node
  // Of the whole message. Broadcast, reduce, allreduce: the vector. Allgather: the blocks of all
  // nodes (inter/blocks.h), node i giving block i. Alltoall: the matrix of blocks that every node
  // gives every node, row after row (alltoall_block() in inter/blocks.h), of which a node has its
  // row at first and its column in the end; a multiple of nodes^2.
  std::uint64_t bytes = 0;
  int node = 0;  // whose plan
  // Algorithms that cut the message into blocks cut at multiples of it (the last block may be
  // shorter): the size of an element where blocks are reduced, a cache line where that pays.
  std::uint64_t granule_bytes = 1;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_PLAN_H_
