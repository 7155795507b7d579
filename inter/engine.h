// Runs a plan over MPI point-to-point, as a state machine: progress() never waits.
//
// Plans name nodes; messages go to ranks. How a sender knows the rank that leads a node:
//   announce  (long messages) the node's leader has said a few bytes (its rank, the size that it
//             believes in) to all possible leaders of the nodes that it receives from; a sender
//             serves the nodes that have announced, in that order, and never holds back one for
//             another. Also where a node has one possible leader: it bounds how far a sender runs
//             ahead, and finds wrong sizes.
//   push      (short messages) a copy goes to every possible leader of the node, without waiting
//   for
//             it. Where the sending leader is known to all (it is the root), nodes announce
//             themselves for short messages too: those that have done so in time get one message.
//   direct    every node that is sent to has one possible leader, and nobody asks: for collectives
//             whose sizes all ranks know and in which nodes wait for each other anyway, or all send
//             to the root.
// Receives come from any rank (from the one possible leader where sends are direct): the tag
// (sequence, channel) names the one message that can match.
#ifndef MPIACTOR_INTER_ENGINE_H_
#define MPIACTOR_INTER_ENGINE_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "inter/drop_list.h"
#include "inter/introductions.h"
#include "inter/kept_bytes.h"
#include "inter/messages.h"
#include "inter/peer_buffers.h"
#include "inter/plan.h"

namespace mpiactor::inter {

struct EngineSetup {
  MPI_Comm comm = MPI_COMM_NULL;
  const Plan* plan = nullptr;
  const PossibleLeaders* leaders = nullptr;
  int node = 0;  // this one
  int rank = 0;  // of this process in comm
  std::uint64_t sequence = 0;
  std::uint64_t message_bytes = 0;
  std::byte* buffer = nullptr;  // the message; kSend only reads
  std::uint64_t capacity = 0;   // of buffer; >= message_bytes
  std::uint64_t segment_bytes = 0;
  int window = 2;  // segments under way per operation, 1..kMaxWindow
  // From which peers a window is taken in before it is combined, from the others a segment;
  // nullptr: from all. Must outlive the engine.
  PeerBuffers* peers = nullptr;
  bool push = false;
  std::uint32_t push_patience_us = 0;  // how long a push waits for announcements
  bool direct = false;    // of_node() has one rank for every node that is sent to; not with push
  bool from_any = false;  // direct: other ranks than that one may send for their node, too
  // Sends end only when the receiver has taken them: bounds how far a node runs ahead (direct).
  bool synchronous = false;
  std::uint64_t stays = 0;  // announced: in so many requests to come this rank leads its node, too
  // Told of each announcement that is heard in time.
  std::function<void(const Announcement&)> introduced;
  // kReceiveReduce: combines what has come from node `peer` with the buffer's bytes [offset, offset
  // + bytes). Segments are whole elements where segment_bytes and the plan's granule are.
  std::function<void(const std::byte* incoming, std::uint64_t offset, std::uint64_t bytes,
                     int peer)>
      combine;
  // Bytes [offset, offset + bytes) have arrived in the buffer. Never called by the constructor.
  std::function<void(std::uint64_t offset, std::uint64_t bytes)> arrived;
};

inline constexpr int kMaxWindow = 8;

class Engine {
 public:
  // Posts announcements and the first receives and sends. setup.plan must outlive the engine.
  // Throws std::runtime_error where an MPI call fails.
  explicit Engine(EngineSetup setup);
  ~Engine() { PeerBuffers::give_back(intake_bytes_); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Does what can be done now; true where anything came forward.
  bool progress();
  bool done() const { return open_operations_ == 0 && requests_.empty(); }
  // After done(): hands messages that are still to come, but concern nobody here, to `drops`.
  void leave(DropList& drops);

  // Set where a sender holds a message of another size than this node believed: nothing was
  // received, and the plan must be run again for that size.
  std::optional<std::uint64_t> true_bytes() const { return true_bytes_; }
  // Bytes of the message as received (push: what really came; else message_bytes).
  std::uint64_t received_bytes() const { return received_bytes_; }
  // The plan's receives (bit k: the k-th one, k < 64) of which every possible leader got a copy.
  std::uint64_t copied_receives() const { return copied_receives_; }

  // What each operation of a plan, and each message under way, takes; see engine_memory.h. Vectors
  // that grow have up to twice their elements.
  static constexpr std::uint64_t operation_bytes() { return sizeof(Operation); }
  static constexpr std::uint64_t flight_bytes() {
    return 2 * (sizeof(MPI_Request) + sizeof(Flight) + sizeof(int) + sizeof(MPI_Status));
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Operation {
    std::uint32_t segments = 0;
    std::uint32_t window = 0;  // of them, so many may be under way
    std::uint32_t started = 0;
    std::uint32_t completed = 0;  // all segments before this one
    // Messages under way of segment s: pending[s % kMaxWindow].
    std::uint8_t pending[kMaxWindow] = {};
    // Operations that share a channel (plans of more than kMaxChannels steps) start one after the
    // other: the index of the one before, or kNone.
    std::uint32_t predecessor = kNone;
    RankList destinations;  // sends: empty until the peer's leader is known
    // Header and bytes of a pushed message; packed runs of a strided one; what was taken ahead,
    // segment s at s % window.
    KeptBytes taken;
  };
  struct Flight {
    std::uint32_t operation = 0;
    std::uint32_t segment = 0;
  };

  void choose_windows();
  void make_intake();
  void order_channels();
  void introduce();
  bool announces_for_push(int peer) const;
  bool hear(const Announcement& announcement);
  bool is_push_due() const;
  void push_to_all();
  bool start_ready();
  bool ready(const PlanOp& op, std::uint32_t segment) const;
  void start_segment(std::uint32_t index, std::uint32_t segment);
  void start_push(std::uint32_t index);
  bool collect();
  void finish(const Flight& flight, const MPI_Status& status);
  void complete_segments(std::uint32_t index, const MPI_Status& status);
  bool place_ready();
  void place(std::uint32_t index, std::uint64_t begin, std::uint64_t bytes);
  std::byte* intake(std::uint32_t index, std::uint32_t segment);
  void take_pushed(std::uint32_t index, const MPI_Status& status);
  void abandon();
  void assert_completed() const;
  std::uint64_t segment_begin(const PlanOp& op, std::uint32_t segment) const;
  std::uint64_t segment_end(const PlanOp& op, std::uint32_t segment) const;
  std::uint64_t finished_until(std::uint32_t index) const;
  void send(const std::byte* data, std::uint64_t bytes, std::uint32_t index, std::uint32_t segment);
  void receive(std::byte* data, std::uint64_t bytes, std::uint32_t index, std::uint32_t segment);

  EngineSetup setup_;
  Introductions introductions_;
  std::vector<Operation> operations_;
  std::uint64_t intake_bytes_ = 0;  // of all operations
  std::size_t open_operations_ = 0;
  std::size_t open_takes_ = 0;  // operations that take ahead
  std::vector<MPI_Request> requests_;
  std::vector<Flight> flights_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::uint64_t push_deadline_ns_ = 0;  // 0: nobody is waited for
  std::optional<std::uint64_t> true_bytes_;
  std::uint64_t received_bytes_ = 0;
  std::uint64_t copied_receives_ = 0;
};

// The messages that a possible leader gets for a request that another one leads, beyond pushed
// copies: announcements of the nodes that its node sends to.
void expect_announcements(DropList& drops, const Plan& plan, std::uint64_t sequence);
// Pushed copies, as the leader has seen them (Engine::copied_receives).
void expect_copies(DropList& drops, const Plan& plan, std::uint64_t sequence,
                   std::uint64_t copied_receives, std::uint64_t largest_push_bytes);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ENGINE_H_
