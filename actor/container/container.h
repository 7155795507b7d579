// What the members of a communicator share on a node: a queue of requests and staging memory; and
// how its nodes reach each other: a private communicator.
#ifndef MPIACTOR_ACTOR_CONTAINER_CONTAINER_H_
#define MPIACTOR_ACTOR_CONTAINER_CONTAINER_H_

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "actor/competition/request_queue.h"
#include "actor/container/node_map.h"
#include "actor/container/world.h"
#include "actor/shm/segment.h"
#include "inter/engine.h"
#include "inter/select.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor {

class Container {
 public:
  // Collective over `comm`. Either every rank gets a container or every rank gets none; `why` then
  // says the reason that this rank knows of.
  static std::unique_ptr<Container> create(MPI_Comm comm, std::string& why);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // Takes messages that still are to come for this member off the network; may wait for senders
  // that are a little behind. Call before the destructor, while MPI is alive.
  void drain();

  const NodeMap& nodes() const { return nodes_; }
  int rank() const { return rank_; }
  int node() const { return node_; }
  int member() const { return member_; }
  int members() const { return members_; }
  int members_anywhere() const { return most_members_; }  // of the node that has the most
  MPI_Comm inter_comm() const { return inter_comm_; }     // MPI_COMM_NULL with one node

  competition::RequestQueue& queue() { return *queue_; }
  inter::DropList& drops() { return *drops_; }

  std::uint64_t next_sequence() { return ++sequence_; }

  // Staging.
  //
  // Memory for at least `bytes` of a request, up to the limit. Collective over `comm` where it has
  // to grow, decided equally on all ranks; false (everywhere) where memory cannot be had.
  bool prepare_staging(MPI_Comm comm, std::uint64_t bytes);
  std::uint64_t staging_bytes() const { return staging_.size_or_zero(); }
  std::byte* staging(std::uint64_t offset) { return staging_.segment.data() + offset; }
  // Leader of `sequence`: a range of `bytes` (<= staging_bytes()) that no live request uses. Waits
  // for slow members where there is none. Returns its offset.
  std::uint64_t allocate_staging(std::uint64_t sequence, std::uint64_t bytes);

  // What a broadcast of `bytes` from `root_node` does between nodes on this node. Kept: programs
  // broadcast the same sizes again and again.
  struct Choice {
    inter::Selection selection;
    inter::Plan plan;
  };
  const Choice& choose_bcast(int root_node, std::uint64_t bytes);

 private:
  struct Staging {
    shm::Segment segment;
    bool present = false;
    std::uint64_t size_or_zero() const { return present ? segment.size() : 0; }
  };

  Container(const World& world, NodeMap nodes, int rank);
  bool share(MPI_Comm comm, std::size_t bytes, shm::Segment& out, std::string& why);
  std::optional<std::uint64_t> find_room(std::uint64_t sequence, std::uint64_t bytes);

  const World& world_;
  NodeMap nodes_;
  int rank_;
  int node_;
  int member_;
  int members_;
  int most_members_ = 1;
  MPI_Comm inter_comm_ = MPI_COMM_NULL;
  shm::Segment control_;
  Staging staging_;
  std::optional<competition::RequestQueue> queue_;
  std::optional<inter::DropList> drops_;
  std::uint64_t sequence_ = 0;
  bool growth_failed_ = false;

  struct ChoiceKey {
    int root_node;
    std::uint64_t bytes;
    bool operator==(const ChoiceKey&) const = default;
  };
  struct ChoiceKeyHash {
    std::size_t operator()(const ChoiceKey& key) const {
      return key.bytes * 0x9e3779b97f4a7c15u + static_cast<unsigned>(key.root_node);
    }
  };
  inter::TorusView view_;
  std::unordered_map<ChoiceKey, Choice, ChoiceKeyHash> choices_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_CONTAINER_H_
