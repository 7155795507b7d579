// How a container is made: which ranks it has, what its processes share, all agreeing.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "actor/comm/agreement.h"
#include "actor/comm/world_ranks.h"
#include "actor/competition/arrivals.h"
#include "actor/container/container.h"
#include "actor/container/single_copy_probe.h"
#include "actor/trace/counters.h"
#include "inter/messages.h"

namespace mpiactor {
namespace {

std::vector<Place> places_of(const std::vector<int>& world_ranks, const World& world) {
  std::vector<Place> places;
  places.reserve(world_ranks.size());
  for (const int rank : world_ranks) places.push_back(world.places.of(rank));
  return places;
}

// Which node of the job each node of a communicator is.
std::vector<int> world_nodes_of(const NodeMap& nodes, std::span<const Place> places) {
  std::vector<int> found;
  for (int node = 0; node < nodes.nodes(); ++node) {
    found.push_back(places[static_cast<std::size_t>(nodes.members(node).front())].node);
  }
  return found;
}

bool are_equal(const NodeMap& nodes) {
  return nodes.most_members() * nodes.nodes() == nodes.ranks();
}

// Once, by rank 0 of the job.
void tell_unsuited_settings(const NodeMap& nodes, const World& world) {
  if (world.rank != 0 || nodes.nodes() == 1 || are_equal(nodes)) return;
  static std::atomic<bool> was_said{false};
  if (was_said.exchange(true)) return;
  for (const std::string& sentence : unsuited_settings(world.settings)) {
    say(Verbosity::kWarn, sentence);
  }
}

}  // namespace

void Container::create_segment() {
  segment_ = shm::Segment::create(layout_.most_bytes(), layout_.sure_bytes());
  std::uint64_t reserved = kSureStagingBytes;
  if (!segment_.reserve(0, layout_.sure_bytes())) {
    // A kernel that cannot say later whether there is memory: take all of it now.
    segment_ = shm::Segment::create(layout_.most_bytes(), layout_.most_bytes());
    reserved = layout_.staging_bytes;
  }
  reinterpret_cast<Header*>(segment_.data())->reserved_staging_bytes = reserved;
}

// What each member has found out for itself about all nodes is kept once for all of them.
void Container::move_tables(bool writes) {
  if (layout_.table_bytes() == 0) return;
  int* const memory = reinterpret_cast<int*>(segment_.data() + layout_.tables_begin);
  int* const rest = choices_.view().move_table(nodes_.move_table(memory, writes), writes);
  world_ranks_.move_table(rest, writes);
  segment_.make_read_only(layout_.tables_begin, layout_.table_bytes());
}

// From the lowest member of each node to its others, which get its `mine`.
shm::Segment::Address Container::hand_out_address(MPI_Comm comm, shm::Segment::Address mine) const {
  if (nodes_.nodes() == 1) {
    Agreement(comm).share(&mine, sizeof mine);
    return mine;
  }
  const int tag = inter::message_tag(message_number(0), inter::MessageKind::kData);
  const int lowest = nodes_.members(node_).front();
  if (member_ != 0) {
    inter::check_mpi(PMPI_Recv(&mine, sizeof mine, MPI_BYTE, inter_ranks().to(lowest), tag,
                               inter_comm(), MPI_STATUS_IGNORE),
                     "receiving a segment's address");
    return mine;
  }
  for (const int rank : nodes_.members(node_)) {
    if (rank == rank_) continue;
    inter::check_mpi(
        PMPI_Send(&mine, sizeof mine, MPI_BYTE, inter_ranks().to(rank), tag, inter_comm()),
        "sending a segment's address");
  }
  return mine;
}

// The lowest member of the node creates, the others attach. Collective over `comm`. Whether it went
// well is agreed on, and then all have attached.
bool Container::share(MPI_Comm comm, std::string& why) {
  shm::Segment::Address address;
  bool good = true;
  if (member_ == 0) {
    try {
      create_segment();
      move_tables(true);
      address = segment_.address();
    } catch (const shm::SegmentError& error) {
      why = error.what();
      good = false;
    }
  }
  address = hand_out_address(comm, address);
  if (member_ != 0) {
    try {
      if (address.descriptor < 0) {
        throw shm::SegmentError("the node's lowest member could not create shared memory");
      }
      segment_ = shm::Segment::attach(address, layout_.most_bytes());
      move_tables(false);
    } catch (const shm::SegmentError& error) {
      why = error.what();
      good = false;
    }
  }
  good = Agreement(comm).all(good, why);
  segment_.close_descriptor();
  return good;
}

void Container::try_single_copy(MPI_Comm comm) {
  if (world_.settings.single_copy == SingleCopy::kOff || nodes_.nodes() > 1) return;
  std::string why;
  single_copy_ = members_read_each_other(comm, why);
  static std::atomic<bool> said{false};
  // Everybody has agreed, one rank has the reason; other communicators' are hardly different.
  const bool first = !single_copy_ && !said.exchange(true);
  if (first && !why.empty()) say(Verbosity::kInfo, "no single copy: " + why);
}

// What it has together with other processes. Collective over `comm`; whether it went well is agreed
// on.
bool Container::join(MPI_Comm comm, Need need, std::string& why) {
  if (nodes_.nodes() > 1) {
    std::string none = "the MPI library's tags are too small";
    if (world_.large_tags) inter_ = world_.private_comms->take(comm, need, none);
    if (!inter_) {
      if (rank_ == 0) why = none;
      return false;
    }
  }
  return share(comm, why);
}

std::unique_ptr<Container> Container::create(MPI_Comm comm, IdleContainers& idle, Refusal& refusal,
                                             Need need) {
  const auto refuse = [&](const char* why) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    refusal.is_fault = false;
    if (rank == 0) refusal.why = why;
    return nullptr;
  };
  const std::vector<int> world_ranks = world_ranks_of(comm);
  if (world_ranks.empty()) return refuse("it contains processes of another job");
  // A session's calls go on when MPI_Finalize has ended the runtime on some rank.
  const bool may_be_of_session = comm != MPI_COMM_WORLD && world()->has_sessions;
  IdleContainers::Taken taken = idle.take(comm, world_ranks, !may_be_of_session);
  if (!taken.is_wanted) return refuse("it may be a session's");
  if (taken.container) return std::move(taken.container);
  std::unique_ptr<Container> container = make(comm, need, taken.name, world_ranks, refusal);
  if (container || !refusal.is_fault || need == Need::kSpare) return container;
  // Idle ones may have what it wants.
  idle.clear();
  return make(comm, need, taken.name, world_ranks, refusal);
}

// A new one. Collective over `comm`, of these ranks.
std::unique_ptr<Container> Container::make(MPI_Comm comm, Need need, std::uint64_t name,
                                           const std::vector<int>& world_ranks, Refusal& refusal) {
  const World& world = *mpiactor::world();
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const std::vector<Place> places = places_of(world_ranks, world);
  NodeMap nodes(places, world.settings.candidates);
  if (nodes.most_members() > competition::Arrivals::kMostMembers) {
    refusal.is_fault = false;
    if (rank == 0) refusal.why = "it has too many ranks on a node";
    return nullptr;
  }
  inter::TorusView view = world.torus.view(world_nodes_of(nodes, places));
  std::unique_ptr<Container> container(new Container(world, name, inter::RankMap(world_ranks),
                                                     std::move(nodes), std::move(view), rank));
  if (!container->join(comm, need, refusal.why)) return nullptr;
  container->header_ = reinterpret_cast<Header*>(container->segment_.data());
  container->queue_.emplace(container->segment_.data() + SegmentLayout::kHeaderBytes,
                            container->members_, container->member_, world.wait);

  if (container->nodes_.nodes() > 1) {
    container->notices_.emplace(*world.notices, name, container->world_ranks_);
  }
  container->drops_.emplace(container->inter_comm());
  tell_unsuited_settings(container->nodes_, world);
  container->try_single_copy(comm);
  ++trace::counters().containers;
  return container;
}

}  // namespace mpiactor
