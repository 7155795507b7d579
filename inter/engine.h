// Runs a plan over MPI point-to-point, as a state machine: progress() never waits.
//
// Plans name nodes; messages go to ranks. How a sender knows the rank that leads a node:
//   push      short messages go to every possible leader of the node, without any handshake
//   announce  the node's leader has said a few bytes (its rank, the size that it believes in) to all
//             possible leaders of the nodes that it receives from; a sender serves the nodes that
//             have announced, in that order, and never holds back one for another. Also where a node
//             has one possible leader: it bounds how far a sender runs ahead, and finds wrong sizes.
// Receives come from any rank: the tag (sequence, channel) names the one message that can match.
#ifndef MPIACTOR_INTER_ENGINE_H_
#define MPIACTOR_INTER_ENGINE_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "inter/plan.h"

namespace mpiactor::inter {

// Tags of the private communicator: 14 bits of sequence, 2 of kind, 10 of channel.
enum class MessageKind { kData = 0, kAnnouncement = 1, kCorrection = 2 };
int message_tag(std::uint64_t sequence, MessageKind kind, int channel = 0);
inline constexpr int kLargestTag = (1 << 26) - 1;  // the MPI library must allow tags up to this
inline constexpr std::uint64_t kSequenceWindow = 1 << 14;

// The ranks that may lead a node in one request, in the engine's communicator.
class PossibleLeaders {
 public:
  virtual ~PossibleLeaders() = default;
  virtual std::span<const int> of_node(int node) const = 0;
};

struct Announcement {
  std::int32_t node = 0;
  std::int32_t rank = 0;
  std::uint64_t bytes = 0;  // of the message, as the announcing leader believes
};

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
  bool push = false;
  // Bytes [offset, offset + bytes) have arrived in the buffer. Never called by the constructor.
  std::function<void(std::uint64_t offset, std::uint64_t bytes)> arrived;
};

inline constexpr int kMaxWindow = 8;

class Engine {
 public:
  // Posts announcements and the first receives and sends. setup.plan must outlive the engine.
  // Throws std::runtime_error where an MPI call fails.
  explicit Engine(EngineSetup setup);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Does what can be done now; true where anything came forward.
  bool progress();
  bool done() const { return open_operations_ == 0 && requests_.empty(); }

  // Set where a sender holds a message of another size than this node believed: nothing was
  // received, and the plan must be run again for that size.
  std::optional<std::uint64_t> true_bytes() const { return true_bytes_; }
  // Bytes of the message as received (push: what really came; else message_bytes).
  std::uint64_t received_bytes() const { return received_bytes_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Operation {
    std::uint32_t segments = 0;
    std::uint32_t started = 0;
    std::uint32_t completed = 0;  // all segments before this one
    std::uint8_t pending[kMaxWindow] =
        {};  // messages under way of segment s: pending[s % kMaxWindow]
    // Operations that share a channel (plans of more than kMaxChannels steps) start one after the
    // other: the index of the one before, or kNone.
    std::uint32_t predecessor = kNone;
    std::span<const int> destinations;  // sends: empty until the peer's leader is known
    int destination = -1;               // storage for a single announced one
  };
  struct Flight {
    std::uint32_t operation = 0;  // kNone: an announcement
    std::uint32_t segment = 0;
  };

  void order_channels();
  void announce();
  void listen();
  void take_announcement();
  void correct(const Announcement& announcement);
  bool start_ready();
  bool ready(const PlanOp& op, std::uint32_t segment) const;
  void start_segment(std::uint32_t index, std::uint32_t segment);
  bool collect();
  void finish(const Flight& flight, const MPI_Status& status);
  void abandon();
  std::uint64_t segment_begin(const PlanOp& op, std::uint32_t segment) const;
  std::uint64_t segment_end(const PlanOp& op, std::uint32_t segment) const;
  std::uint64_t finished_until(std::uint32_t index) const;
  void track(MPI_Request request, Flight flight);

  EngineSetup setup_;
  std::vector<Operation> operations_;
  std::size_t open_operations_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Flight> flights_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  Announcement announcement_;  // sent
  Announcement incoming_;      // being received
  MPI_Request incoming_request_ = MPI_REQUEST_NULL;
  int unannounced_nodes_ = 0;  // that this one sends to
  std::uint64_t correction_ = 0;
  MPI_Request correction_request_ = MPI_REQUEST_NULL;
  std::optional<std::uint64_t> true_bytes_;
  std::uint64_t received_bytes_ = 0;
};

// Messages that were sent to this process as a possible leader but concern a request that another
// member led. They are certain to arrive and are taken off the network in passing.
class DropList {
 public:
  explicit DropList(MPI_Comm comm) : comm_(comm) {}
  ~DropList();
  DropList(const DropList&) = delete;
  DropList& operator=(const DropList&) = delete;

  // `count` messages of at most `bytes` with this tag, from anybody.
  void expect(int tag, std::uint64_t bytes, int count);
  // What a possible leader that does not lead will get for a request.
  void expect_request(const Plan& plan, const PossibleLeaders& leaders, int node,
                      std::uint64_t sequence, bool push, std::uint64_t push_capacity);
  // Takes what is there.
  void sweep();
  // Waits until all has come; `pause` is called between looks.
  void drain(const std::function<void()>& pause);
  std::size_t size() const { return drops_.size(); }

 private:
  struct Drop {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> scrap;
  };
  MPI_Comm comm_;
  std::vector<Drop> drops_;
  std::vector<std::vector<std::byte>> spare_;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_ENGINE_H_
