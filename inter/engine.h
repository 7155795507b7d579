// Runs a plan over MPI point-to-point, as a state machine: progress() never waits.
//
// Plans name nodes; messages go to ranks. How a sender knows the rank that leads a node:
//   announce  (long messages) the node's leader has said a few bytes (its rank, the size that it
//             believes in) to all possible leaders of the nodes that it receives from; a sender
//             serves the nodes that have announced, in that order, and never holds back one for
//             another. Also where a node has one possible leader: it bounds how far a sender runs
//             ahead, and finds wrong sizes.
//   push      (short messages) a copy goes to every possible leader of the node, without waiting
//             for it, or one to the first of them, which passes it on. Down the plan's tree, or
//             from the root to all nodes.
//   direct    every node that is sent to has one possible leader, and nobody asks: for collectives
//             whose sizes all ranks know and in which nodes wait for each other anyway, or all send
//             to the root.
// Receives come from any rank (from the one possible leader where sends are direct): the tag
// (sequence, channel) names the one message that can match.
//
// A program may be wrong: a node's leader may believe in another size than the root's, and so wait
// for other messages, from other nodes. Then its engine ends with true_bytes(), and the plan is run
// again for that size with what the first run carries off. Who knows the size (the root, and
// who has got bytes of the message) says it to those that announce another one and, after a while,
// to those that announce nothing (notices.h); a pushed message says it itself.
#ifndef MPIACTOR_INTER_ENGINE_H_
#define MPIACTOR_INTER_ENGINE_H_

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "inter/drop_list.h"
#include "inter/introductions.h"
#include "inter/kept_bytes.h"
#include "inter/messages.h"
#include "inter/notices.h"
#include "inter/peer_buffers.h"
#include "inter/plan.h"
#include "inter/push.h"
#include "inter/rank_map.h"
#include "inter/served_nodes.h"

namespace mpiactor::inter {

// What an engine whose size was wrong leaves to the next one of the same request.
struct Carried {
  std::vector<Announcement> heard;
  std::vector<KeptBytes> pushed;  // header and bytes
  bool is_sure = false;           // the size comes from one that knows it
};

struct EngineSetup {
  MPI_Comm comm = MPI_COMM_NULL;
  const RankMap* ranks =
      nullptr;  // the leaders' in comm; nullptr: the same. Must outlive the engine
  const Plan* plan = nullptr;
  const PossibleLeaders* leaders = nullptr;
  int node = 0;  // this one
  int rank = 0;  // of this process
  std::uint64_t sequence = 0;
  std::uint64_t message_bytes = 0;
  std::byte* buffer = nullptr;  // the message; kSend only reads
  std::uint64_t capacity = 0;   // of buffer; >= message_bytes
  // Where others fill it meanwhile: so many of its first bytes are there to be sent.
  std::function<std::uint64_t()> there;
  std::uint64_t segment_bytes = 0;
  int window = 2;  // segments under way per operation, 1..kMaxWindow
  // From which peers a window is taken in before it is combined, from the others a segment;
  // nullptr: from all. Must outlive the engine.
  PeerBuffers* peers = nullptr;
  bool push = false;
  // Where this node is the root's; else the message that it gets says so. From the root: the root's
  // plan is to send the whole message to every other node, whatever plan these have.
  Push push_way = Push::kToAll;
  std::uint64_t longest_push_bytes = 0;  // that may come, whatever this node believes
  // Other processes of this node may hear the same announcements; here they agree who serves which
  // node. nullptr: this one serves all. Announced messages alone.
  ServedNodes* served = nullptr;
  // Announced messages, of algorithms that are of trees: how many. Nodes below a late one are
  // served from above then (engine_late.cc).
  int trees = 0;
  std::function<Plan(int node)> plan_of;  // with trees: another node's
  // How unevenly this node's members come, which it says where it announces itself or pushes, and
  // what takes in what others say.
  std::chrono::nanoseconds uneven{0};
  std::function<void(std::chrono::nanoseconds)> others_uneven;
  NoticeBox* notices = nullptr;  // not for direct
  Carried* carried = nullptr;    // of the run before; is taken over
  bool direct = false;    // of_node() has one rank for every node that is sent to; not with push
  bool from_any = false;  // direct: other ranks than that one may send for their node, too
  // Sends end only when the receiver has taken them: bounds how far a node runs ahead (direct).
  bool synchronous = false;
  // kReceiveReduce: combines what has come from node `peer` with the buffer's bytes [offset, offset
  // + bytes). Segments are whole elements where segment_bytes and the plan's granule are.
  std::function<void(const std::byte* incoming, std::uint64_t offset, std::uint64_t bytes,
                     int peer)>
      combine;
  // Bytes [offset, offset + bytes) have arrived in the buffer. Never called by the constructor.
  std::function<void(std::uint64_t offset, std::uint64_t bytes)> arrived;
};

inline constexpr int kMaxWindow = 8;

// How many trees the message goes down: of a broadcast's plan by an algorithm that is of trees, on
// any node.
int trees_of(const Plan& plan);

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
  bool done() const { return (open_operations_ == 0 && requests_.empty()) || has_lost_patience_; }
  // With `served`: all that is left to do is to serve nodes that have not announced themselves.
  bool waits_for_late_nodes() const;
  // After done(), or where others will serve the late nodes: hands messages
  // that are still to come, but concern nobody here, to `drops`.
  void leave(DropList& drops);

  // Set where the message has another size than this node believed: done(), but nothing has
  // arrived, and the plan must be run again for that size.
  std::optional<std::uint64_t> true_bytes() const { return true_bytes_; }
  // Then, instead of leave(): what the next run goes on with.
  Carried carry() { return std::move(carried_); }
  // Of who receives a pushed message, when that has come.
  Push push_way() const { return setup_.push_way; }
  // Of how many of the plan's receives every possible leader got a copy.
  std::uint64_t copied_receives() const { return copied_receives_; }
  // How long this process takes for a copy of a pushed message; nothing where it sent none.
  std::optional<std::chrono::nanoseconds> time_of_copy() const;

  // What each operation of a plan, and each message under way, takes; see engine_memory.h. Vectors
  // that grow have up to twice their elements.
  static constexpr std::uint64_t operation_bytes() { return sizeof(Operation); }
  static constexpr std::uint64_t flight_bytes() {
    return 2 * (sizeof(MPI_Request) + sizeof(Flight) + sizeof(int) + sizeof(MPI_Status));
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kList = 0xfffffffeu;
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
    // The list of adopted nodes and the first segment, where there is such a list.
    KeptBytes listed;
    // Header and bytes of a pushed message; packed runs of a strided one; what was taken ahead,
    // segment s at s % window.
    KeptBytes taken;
  };
  struct Flight {
    // kNone: lands in landings_[segment]; kList: first segment and list of operation `segment`.
    std::uint32_t operation = 0;
    std::uint32_t segment = 0;
  };

  void choose_windows();
  void make_intake();
  void order_channels();
  void introduce();
  bool receives_nothing() const;
  bool hear(const Announcement& announcement);
  bool serve(const Announcement& announcement);
  std::size_t child(int peer) const;
  bool claim(int peer);
  void leave_to_others();
  void pass_by(std::uint32_t index);
  // Late nodes: engine_late.cc.
  bool look_up_list(const PlanOp& op);
  void send_listed(std::uint32_t index);
  bool receives_listed(const Flight& flight, const MPI_Status& status);
  void take_list(std::uint32_t index);
  bool has_tree(int channel) const;
  void take_offers();
  void offer_below(std::uint64_t now);
  void offer_to(int node);
  void adopt_those_who_ask();
  void add_send(const Ask& ask);

  void become_sure();
  void answer();
  void look_around();
  void look_for_push();
  void remind();
  void withdraw_announcements();
  template <typename Use>
  void for_each_told(Use use) const;
  void push_to_all();
  bool start_ready();
  bool ready(const PlanOp& op, std::uint32_t segment) const;
  void start_segment(std::uint32_t index, std::uint32_t segment);
  void start_push(std::uint32_t index);
  bool collect();
  void finish(const Flight& flight);
  void complete_segments(std::uint32_t index);
  bool place_ready();
  void place(std::uint32_t index, std::uint64_t begin, std::uint64_t bytes);
  std::byte* intake(std::uint32_t index, std::uint32_t segment);
  void post_landings();
  void land(KeptBytes message);
  void take_pushed(std::uint32_t index);
  void lose_patience();
  bool only_sends_are_left() const;
  void finish_pushes_in(DropList& drops);
  void abandon();
  void assert_completed() const;
  std::uint64_t segment_begin(const PlanOp& op, std::uint32_t segment) const;
  std::uint64_t segment_end(const PlanOp& op, std::uint32_t segment) const;
  std::uint64_t finished_until(std::uint32_t index) const;
  void send(const std::byte* data, std::uint64_t bytes, std::uint32_t index, std::uint32_t segment);
  void receive(std::byte* data, std::uint64_t bytes, std::uint32_t index, std::uint32_t segment);

  EngineSetup setup_;
  const RankMap& ranks_;
  Introductions introductions_;
  std::vector<Operation> operations_;
  std::uint64_t intake_bytes_ = 0;  // of all operations
  std::size_t open_operations_ = 0;
  std::size_t open_takes_ = 0;  // operations that take ahead
  // With pushes under way alone, of which nobody knows when they end.
  std::uint64_t patience_ends_ns_ = 0;
  bool has_lost_patience_ = false;
  std::vector<MPI_Request> requests_;
  std::vector<Flight> flights_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  AdoptedList list_;                 // for the next first segment
  std::vector<KeptBytes> landings_;  // of pushed messages: which operation's, they say themselves
  std::uint64_t next_look_ns_ = 0;   // 0: something has just come forward
  std::uint64_t next_reminder_ns_ = 0;
  std::uint64_t reminder_pause_ns_ = 0;
  bool is_sure_ = false;  // that the message has message_bytes
  std::optional<std::uint64_t> true_bytes_;
  Carried taken_over_;
  Carried carried_;                    // heard: announcements that are not counted
  std::size_t answered_ = 0;           // of carried_.heard
  std::vector<Announcement> counted_;  // while not sure
  std::uint64_t copied_receives_ = 0;
  std::size_t copies_ = 0;  // sent of pushed messages, and their time
  std::uint64_t copies_ns_ = 0;
  std::vector<int> children_;  // nodes, in the order of ServedNodes
  ServedNodes alone_;          // where no other process of this node serves any
  std::uint64_t known_version_ = 0;
  std::optional<Plan> longer_plan_;  // with sends to adopted nodes
  std::vector<int> asked_;           // nodes that have offered themselves
  std::set<int> offered_;            // nodes that this one has offered itself to
  std::size_t offered_levels_ = 0;
  std::uint64_t next_offer_ns_ = 0;
};

// The messages that a possible leader gets for a request that another one leads, beyond pushed
// copies: announcements of the nodes that its node sends to.
void expect_announcements(DropList& drops, const Plan& plan, std::uint64_t sequence);
// Pushed copies, as many as the leader has seen (Engine::copied_receives).
void expect_copies(DropList& drops, std::uint64_t sequence, std::uint64_t copied_receives,
                   std::uint64_t longest_push_bytes);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ENGINE_H_
