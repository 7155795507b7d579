// A plan: what one node sends and receives in one collective, as data.
//
// Plans name nodes (0 .. nodes-1 of a communicator), never ranks, and know nothing of MPI or of
// shared memory. The same plan is run by the engine (inter/engine.h), played by the simulator
// (sim/) and checked by the verifier (inter/verifier.h).
#ifndef MPIACTOR_INTER_PLAN_H_
#define MPIACTOR_INTER_PLAN_H_

#include <cstddef>
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
  std::uint64_t offset = 0;  // first byte; see BufferLayout
  std::uint64_t bytes = 0;   // never 0
  int stream = 0;            // tree of the plan that this byte range belongs to
  // Tells the messages that a node receives apart; the sending and the receiving operation carry
  // the same number. 0 <= channel < kMaxChannels. A receiver may not know who leads the sending
  // node and tells messages by channel alone, so all its operations on one channel have the same
  // peer. In plans with more than kMaxChannels receives, and in alltoalls on more than kMaxChannels
  // nodes, it must name the source.
  // Operations with equal (source, destination, channel) match one by one in plan order, which is
  // therefore the same on both sides, and none starts a segment before the one before it has
  // started its last. Broadcasts use a channel twice only when they have more steps than there are
  // channels; other collectives may do so earlier.
  int channel = 0;
  std::uint32_t waits_begin = 0;  // into Plan::waits
  std::uint32_t waits_end = 0;
  // A strided operation (run_bytes > 0) moves several runs: run i begins at offset + i *
  // stride_bytes and is run_bytes long, the last one perhaps shorter; `bytes` is their sum, and
  // stride_bytes > run_bytes where there are two or more. However long, it is ONE message, never
  // cut into segments, the runs packed behind one another. The sender packs it into memory of its
  // own; the receiver takes it into memory of its own and puts it in its place when its waits are
  // over: as with kReceiveReduce they hold back the putting, never the taking, so that nodes may
  // swap what lies in the same place. A wait for a strided operation, or of one, is for the whole
  // of it.
  std::uint64_t run_bytes = 0;
  std::uint64_t stride_bytes = 0;

  bool is_strided() const { return run_bytes != 0; }
  // Takes what comes into memory of its own, whatever it waits for.
  bool takes_ahead() const {
    return kind == OpKind::kReceiveReduce || (kind == OpKind::kReceive && is_strided());
  }
  std::uint64_t runs() const { return is_strided() ? (bytes - 1) / run_bytes + 1 : 1; }
  // Behind the last byte. Strided: behind that of the packed bytes, as if they lay at `offset`.
  std::uint64_t end() const { return offset + bytes; }
  // Behind the last byte, also where strided.
  std::uint64_t reach() const {
    return is_strided() ? end() + (runs() - 1) * (stride_bytes - run_bytes) : end();
  }
};

// Calls visit(offset, bytes) for every run of an operation, in order.
template <typename Visit>
void for_each_run(const PlanOp& op, Visit&& visit) {
  if (!op.is_strided()) {
    visit(op.offset, op.bytes);
    return;
  }
  std::uint64_t left = op.bytes;
  for (std::uint64_t offset = op.offset; left > 0; offset += op.stride_bytes) {
    const std::uint64_t bytes = left < op.run_bytes ? left : op.run_bytes;
    visit(offset, bytes);
    left -= bytes;
  }
}

inline constexpr int kMaxChannels = 1 << 10;

// What the offsets of a plan's operations count; the same for all nodes of a collective.
enum class BufferLayout : std::uint8_t {
  // Bytes of the message (PlanInput::bytes), the same on all nodes.
  kMessage,
  // Alltoall by distance: bytes of a buffer of N blocks of equal size b, N b bytes, counted equally
  // on both sides of a transfer. Before the plan begins, slot t (bytes [t b, (t + 1) b)) of node v
  // holds what v gives node (v + t) mod N; when it has ended, what node (v - t) mod N gives v.
  // Whoever runs the plan fills the slots from the application's blocks and empties them into them;
  // between, slots hold other nodes' blocks on their way.
  kByDistance,
  // Alltoall in buffers of each node's own: sends count in what the node gives, receives, from
  // kTakenBegin upwards, in what it takes (PlanInput::gives, takes). The two sides of a transfer
  // agree on bytes, and so on segments, but not on offsets. Nothing is passed on.
  kOwnBuffers,
};

inline constexpr std::uint64_t kTakenBegin = std::uint64_t{1} << 62;

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// The operations of one node. Memory is O(own operations).
struct Plan {
  BufferLayout layout = BufferLayout::kMessage;
  std::vector<PlanOp> ops;
  std::vector<std::uint32_t> waits;  // indices into ops, see PlanOp::waits_begin

  std::size_t memory_bytes() const {
    return ops.capacity() * sizeof(PlanOp) + waits.capacity() * sizeof(std::uint32_t);
  }
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
  bool operator==(const Shape&) const = default;
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
  // Allgather, reduce-scatter and allreduce of blocks of different sizes, for algorithms with
  // Algorithm::takes_sizes: the bytes at which the nodes' blocks begin, then `bytes`; N + 1 in all.
  // Empty: blocks of nearly equal size (inter/blocks.h).
  std::span<const std::uint64_t> cuts = {};
  // Alltoall with blocks of different sizes, for algorithms with Algorithm::takes_sizes: gives[i]
  // is what this node gives node i, a range of its send buffer, takes[i] what it takes from node i,
  // a range of its receive buffer, none overlapping another. What i gives j is as long on both, so
  // that each node needs no more than its row and its column of the matrix of sizes. Nothing is
  // sent for empty blocks. N entries each, of which the node's own does not matter; then `bytes`
  // does not matter and the layout is kOwnBuffers. Both empty: equal blocks, by `bytes`.
  std::span<const ByteRange> gives = {};
  std::span<const ByteRange> takes = {};
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_PLAN_H_
