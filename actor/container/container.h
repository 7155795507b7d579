// What the members of a communicator share on a node: a queue of requests and staging memory; and
// how its nodes reach each other: a private communicator.
#ifndef MPIACTOR_ACTOR_CONTAINER_CONTAINER_H_
#define MPIACTOR_ACTOR_CONTAINER_CONTAINER_H_

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actor/competition/request_queue.h"
#include "actor/container/choices.h"
#include "actor/container/collector_pace.h"
#include "actor/container/copy_choice.h"
#include "actor/container/idle_containers.h"
#include "actor/container/leader_policy.h"
#include "actor/container/node_map.h"
#include "actor/container/private_comms.h"
#include "actor/container/segment_layout.h"
#include "actor/container/send_buffers.h"
#include "actor/container/staging_walk.h"
#include "actor/container/world.h"
#include "actor/shm/segment.h"
#include "inter/engine.h"
#include "inter/messages.h"
#include "inter/notices.h"
#include "inter/peer_buffers.h"
#include "inter/rank_map.h"
#include "inter/rules.h"

namespace mpiactor {

class JointWords;

class Container {
 public:
  // Why a communicator has none.
  struct Refusal {
    std::string why;       // on the one rank that shall tell it
    bool is_fault = true;  // of the system; false: nothing that anybody should repair
  };

  using Need = PrivateComms::Need;
  // Collective over `comm`. Either every rank gets a container, one of `idle` or a new one, or
  // every rank gets none.
  static std::unique_ptr<Container> create(MPI_Comm comm, IdleContainers& idle, Refusal& refusal,
                                           Need need = Need::kFull);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // Waits until the background calls on it have ended.
  void finish_background();
  // Before a blocking call on `comm`, the container's communicator, which is collective over it:
  // finishes the background ones, and grows if one of them would have.
  void prepare_blocking_call(MPI_Comm comm);
  // Whether it would grow there. Equal on all ranks.
  bool wants_more() const { return wanted_by_background_ != 0 || background_wants_send_buffers_; }

  // Ends background calls, and takes messages that still are to come for this member off the
  // network; may wait for senders that are a little behind. Call before the destructor, while MPI
  // is alive.
  void drain();
  // Whether that would not wait.
  bool is_drained();

  // A number of its own in this job, equal on all ranks.
  std::uint64_t name() const { return name_; }
  // Whether its ranks have these in MPI_COMM_WORLD, in this order.
  bool has_ranks(std::span<const int> world_ranks) const;
  const NodeMap& nodes() const { return nodes_; }
  int rank() const { return rank_; }
  int node() const { return node_; }
  int member() const { return member_; }
  int members() const { return members_; }
  MPI_Comm inter_comm() const { return inter_.comm(); }  // MPI_COMM_NULL with one node
  // This container's ranks in it, which is of all processes.
  const inter::RankMap& inter_ranks() const { return world_ranks_; }
  // What request `sequence` is called in the tags of messages on inter_comm(), where other
  // containers may have theirs.
  std::uint64_t message_number(std::uint64_t sequence) const { return inter_.number(sequence); }

  // Who talks for the nodes in the call that runs on this communicator, one at a time: as it was
  // when the program made the call. Equal on all ranks.
  LeaderPolicy policy() const { return policy_; }
  bool is_competitive() const { return policy_ == LeaderPolicy::kCompetitive; }
  void set_policy(LeaderPolicy policy) { policy_ = policy; }

  // Whether the members of a node can read each other's memory; equal on all ranks. Nobody has
  // tried with several nodes.
  bool single_copy() const { return single_copy_; }
  // All members of the node have seen that it does not work after all. Holds from the next blocking
  // call on: a call in the background ends at another place of the program on each rank.
  void stop_single_copy() { single_copy_has_failed_ = true; }

  // Which way its calls go.
  const inter::RuleTable& rules() const { return rules_; }

  // That a rank has given another one in an alltoallv between nodes; equal on all ranks.
  std::uint64_t& longest_alltoallv_block() { return longest_alltoallv_block_; }

  competition::RequestQueue& queue() { return *queue_; }
  inter::DropList& drops() { return *drops_; }
  inter::PeerBuffers& peers() { return peers_; }
  // Whether this member's node got one copy of the last pushed broadcast, for its first candidate.
  bool& gets_one_copy() { return gets_one_copy_; }
  // When this member left its last broadcast.
  std::chrono::steady_clock::time_point& left_broadcast() { return left_broadcast_; }
  // What others say of requests' sizes; nullptr on one node.
  inter::NoticeBox* notices() { return notices_ ? &*notices_ : nullptr; }

  std::uint64_t next_sequence() { return ++sequence_; }
  std::uint64_t upcoming_sequence() const { return sequence_ + 1; }

  // Ranks that only give, or have nothing to give, run ahead of the others without seeing them. By
  // the tags of its messages a request is told from those of inter::kSequenceWindow requests. So
  // all ranks of several nodes meet before a call, a quarter of that apart. Equal on all ranks.
  bool must_meet() const {
    return nodes_.nodes() > 1 && sequence_ - met_ >= inter::kSequenceWindow / 4;
  }
  void have_met() { met_ = sequence_; }

  CollectorPace& collector_pace() { return collector_pace_; }
  // Of broadcasts of up to push_limit() bytes.
  CopyChoice& copy_choice() { return header_->copy_choice; }

  // Staging: address space of MPIACTOR_SHM_LIMIT bytes, which gets its memory when leaders first
  // use it. A part of it has memory from the start, so that there always is some.
  std::uint64_t staging_bytes() const { return layout_.staging_bytes; }
  std::uint64_t sure_staging_bytes() const { return SegmentLayout::kSureStagingBytes; }
  // That have memory by now.
  std::uint64_t reserved_staging_bytes() const {
    return header_->reserved_staging_bytes.load(std::memory_order_relaxed);
  }
  std::byte* staging(std::uint64_t offset) {
    return segment_.data() + layout_.staging_begin + offset;
  }
  // Leader of `sequence`: a range of `bytes` that no live request uses; waits for slow members
  // where there is none. Returns its offset; nothing where memory for it cannot be had, which
  // cannot happen up to sure_staging_bytes().
  std::optional<std::uint64_t> allocate_staging(std::uint64_t sequence, std::uint64_t bytes);

  // Each member's own memory, in the upper quarter of staging, which requests never use. nullptr,
  // on all ranks, where that quarter is too small or some rank cannot have its memory. Collective
  // over `comm`, the container's communicator, which agrees on that at the first call.
  SendBuffers* send_buffers(MPI_Comm comm);
  // For a background call: whether it has none. Where nobody has asked for them yet the next
  // blocking call does. Equal on all ranks.
  bool lacks_send_buffers();

  // Messages up to this are pushed to all possible leaders of a node; longer ones are announced.
  // Equal on all ranks. Where the nodes' torus is known, as many bytes as are sent eagerly over its
  // longest way [K-MPI].
  std::uint64_t push_limit() const;
  // The same for what a scatter's root sends a node, of several candidates or a static leader.
  std::uint64_t scatter_push_limit(bool several_candidates) const;

  // Memory that one request of a collective in which all members contribute may take, and surely
  // gets: so much of it that `parts` of them have memory at a time. Equal on all ranks of the
  // communicator.
  std::uint64_t work_bytes(std::uint64_t parts = 1) const {
    return std::min(work_bytes_, agreed_staging_bytes_ / parts);
  }
  // A call that holds one request while it takes the next needs three parts: wherever the one lies,
  // the next fits before it or behind it. With fewer, all members might wait for each other.
  static constexpr std::uint64_t kPartsWithOneHeld = 3;
  // What grow() may make of it. Equal on all ranks.
  std::uint64_t most_work_bytes() const;
  // Collective over `comm`, the container's communicator: requests of `wanted` bytes are to come,
  // equal on all ranks. All ranks then have that many work_bytes(), or a quarter of staging if that
  // is less, or none has more than before. A communicator has no more memory than its calls want:
  // there may be a thousand of them. Background calls cannot wait for each other outside their
  // order and make do with what there is.
  void grow(MPI_Comm comm, std::uint64_t wanted, std::uint64_t parts = 1);
  // The same: as much memory as `other` has, send buffers too.
  void grow_like(const Container& other, MPI_Comm comm);
  // For a background call: whether `bytes` of it would need grow() first. The next blocking call
  // then does that. Equal on all ranks.
  bool lacks_work_bytes(std::uint64_t bytes, std::uint64_t parts = 1);

  // What a collective does between nodes on this node; see Choices.
  std::shared_ptr<const Choice> choose(inter::Collective collective, int root_node,
                                       std::uint64_t bytes, std::uint64_t granule_bytes = 1);
  std::shared_ptr<const Choice> served_by_root(const Choice& choice, int root_node,
                                               std::uint64_t bytes) const {
    return choices_.served_by_root(choice, root_node, bytes);
  }
  // The plan of another node.
  inter::Plan plan_of(int node, const inter::Selection& selection, int root_node,
                      std::uint64_t bytes) const {
    return choices_.plan_of(node, selection, root_node, bytes);
  }
  // Where the nodes lie. Plans' blocks are by place.
  const inter::TorusView& torus() const { return choices_.view(); }
  std::size_t kept_plan_bytes() const { return choices_.kept_bytes(); }
  inter::Plan alltoall_plan(const inter::Algorithm& algorithm,
                            std::span<const inter::ByteRange> gives,
                            std::span<const inter::ByteRange> takes) const;

 private:
  static constexpr std::uint64_t kSureStagingBytes = SegmentLayout::kSureStagingBytes;
  // Of which staging holds the memory, so that members work on a request while others are still
  // busy with the ones before.
  static constexpr std::uint64_t kRequestsAtOnce = 4;

  // Before the queue in the segment.
  struct Header {
    std::atomic<std::uint64_t> reserved_staging_bytes;  // has memory up to here
    std::atomic<std::uint32_t> is_known_to_be_short;    // some member could not get memory
    CopyChoice copy_choice;
  };

  Container(const World& world, inter::RankMap world_ranks, NodeMap nodes, inter::TorusView view,
            int rank);
  static std::unique_ptr<Container> alone(const std::vector<int>& world_ranks, int rank);
  static std::unique_ptr<Container> create_once(MPI_Comm comm, IdleContainers& idle,
                                                Refusal& refusal, Need need);
  void offer_segment(JointWords& joint, std::string& why);
  bool attach_segment(const shm::Segment::Address& address, std::string& why);
  bool join(MPI_Comm comm, JointWords& joint, Need need, std::string& why);
  void begin();
  void create_segment();
  void move_tables(bool writes);
  bool reserve_staging(std::uint64_t bytes);
  std::uint64_t work_bytes_for(std::uint64_t wanted) const;
  bool reserve_send_buffers(std::uint64_t stride);

  const World& world_;
  std::uint64_t name_ = 0;
  inter::RankMap world_ranks_;
  NodeMap nodes_;
  int rank_;
  int node_;
  Choices choices_;
  inter::RuleTable rules_;
  inter::PeerBuffers peers_;
  int member_;
  int members_;
  PrivateComms::Place inter_;
  SegmentLayout layout_;
  shm::Segment segment_;
  Header* header_ = nullptr;
  std::optional<competition::RequestQueue> queue_;
  std::optional<inter::DropList> drops_;
  std::optional<inter::NoticeBox> notices_;
  LeaderPolicy policy_ = LeaderPolicy::kCompetitive;
  std::uint64_t sequence_ = 0;
  std::uint64_t met_ = 0;  // the last request in which all have met
  CollectorPace collector_pace_;
  bool gets_one_copy_ = false;
  std::chrono::steady_clock::time_point left_broadcast_;
  StagingWalk staging_walk_;
  bool staging_is_short_ = false;  // this member could not get memory once
  bool single_copy_ = false;
  bool single_copy_has_failed_ = false;
  std::uint64_t work_bytes_ = kSureStagingBytes / kRequestsAtOnce;
  std::uint64_t agreed_staging_bytes_ = kSureStagingBytes;  // that surely have memory
  bool has_stopped_growing_ = false;
  std::uint64_t wanted_by_background_ = 0;  // at the next blocking call
  std::uint64_t parts_by_background_ = 1;
  std::optional<SendBuffers> send_buffers_;
  bool has_asked_for_send_buffers_ = false;
  bool background_wants_send_buffers_ = false;  // at the next blocking call
  std::uint64_t longest_alltoallv_block_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_CONTAINER_H_
