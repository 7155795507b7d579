// How a container is made: which ranks it has, what its processes share, all agreeing.
#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actor/comm/agreement.h"
#include "actor/comm/world_ranks.h"
#include "actor/competition/arrivals.h"
#include "actor/container/container.h"
#include "actor/container/joint_words.h"
#include "actor/container/single_copy_probe.h"
#include "actor/trace/counters.h"

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

// Once by a rank, whose communicators are hardly different.
void tell_no_single_copy(const std::string& why) {
  static std::atomic<bool> was_said{false};
  if (!was_said.exchange(true)) say(Verbosity::kInfo, "no single copy: " + why);
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

// The lowest member of each node makes shared memory, and tells where.
void Container::offer_segment(JointWords& joint, std::string& why) {
  if (member_ != 0) return;
  shm::Segment::Address address;
  try {
    create_segment();
    move_tables(true);
    address = segment_.address();
  } catch (const shm::SegmentError& error) {
    why = error.what();
  }
  joint.set_address(node_, address);
}

// Whether this member has the node's memory.
bool Container::attach_segment(const shm::Segment::Address& address, std::string& why) {
  if (member_ == 0) return why.empty();
  try {
    if (address.descriptor < 0) {
      throw shm::SegmentError("the node's lowest member could not create shared memory");
    }
    segment_ = shm::Segment::attach(address, layout_.most_bytes());
    move_tables(false);
  } catch (const shm::SegmentError& error) {
    why = error.what();
  }
  return why.empty();
}

// What it has together with other processes, of which they all have told. Collective over `comm`;
// whether it went well is agreed on.
bool Container::join(MPI_Comm comm, JointWords& joint, Need need, std::string& why) {
  constexpr const char* kNoPlaces = "too many communicators are alive";
  const auto refuse = [&](const char* reason) {
    why = rank_ == 0 ? reason : "";
    return false;
  };
  std::optional<PrivateComms::Claim> place;
  const bool several = nodes_.nodes() > 1;
  if (several) {
    if (!world_.large_tags) return refuse("the MPI library's tags are too small");
    place = world_.private_comms->claim(joint.places(), need);
    if (!place) return refuse(kNoPlaces);
  }
  const bool has_memory = attach_segment(joint.address(node_), why);
  std::string unreadable;
  if (joint.has_probes()) {
    unreadable = SingleCopyProbe::why_unreadable(joint.probe((rank_ + 1) % nodes_.ranks()));
  }
  const auto rank_unless = [&](bool good) { return good ? INT_MAX : rank_; };
  std::array<int, 3> against = {rank_unless(has_memory), rank_unless(unreadable.empty()),
                                rank_unless(!place || place->is_mine)};
  // Nobody leaves before its number was read.
  Agreement(comm).lowest(against);
  segment_.close_descriptor();
  if (place) inter_ = world_.private_comms->settle(*place, against[2] == INT_MAX);
  if (against[0] != INT_MAX) {
    if (against[0] != rank_) why.clear();
    return false;
  }
  single_copy_ = joint.has_probes() && against[1] == INT_MAX;
  if (against[1] == rank_) tell_no_single_copy(unreadable);
  if (several && !inter_) {
    inter_ = world_.private_comms->take(comm, need);
    if (!inter_) return refuse(kNoPlaces);
  }
  begin();
  return true;
}

// What it does with that.
void Container::begin() {
  header_ = reinterpret_cast<Header*>(segment_.data());
  queue_.emplace(segment_.data() + SegmentLayout::kHeaderBytes, members_, member_, world_.wait);
  if (nodes_.nodes() > 1) notices_.emplace(*world_.notices, name_, world_ranks_);
  drops_.emplace(inter_comm());
  tell_unsuited_settings(nodes_, world_);
  ++trace::counters().containers;
}

// Of these ranks; nullptr where it can have none. Nothing of it is shared yet.
std::unique_ptr<Container> Container::alone(const std::vector<int>& world_ranks, int rank) {
  const World& world = *mpiactor::world();
  const std::vector<Place> places = places_of(world_ranks, world);
  NodeMap nodes(places, world.settings.candidates);
  if (nodes.most_members() > competition::Arrivals::kMostMembers) return nullptr;
  inter::TorusView view = world.torus.view(world_nodes_of(nodes, places));
  return std::unique_ptr<Container>(
      new Container(world, inter::RankMap(world_ranks), std::move(nodes), std::move(view), rank));
}

// Two allreduces: what each rank brings, and whether it can do with what the others brought.
std::unique_ptr<Container> Container::create_once(MPI_Comm comm, IdleContainers& idle,
                                                  Refusal& refusal, Need need) {
  const World& world = *mpiactor::world();
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const auto refuse = [&](const char* why) {
    refusal.is_fault = false;
    if (rank == 0) refusal.why = why;
    return nullptr;
  };
  const std::vector<int> world_ranks = world_ranks_of(comm);
  if (world_ranks.empty()) return refuse("it contains processes of another job");
  std::unique_ptr<Container> kept = idle.find(world_ranks);
  std::unique_ptr<Container> made = kept ? nullptr : alone(world_ranks, rank);
  if (!kept && !made) return refuse("it has too many ranks on a node");
  // A session's calls go on when MPI_Finalize has ended the runtime on some rank.
  const bool wants = comm == MPI_COMM_WORLD || !world.has_sessions;

  const NodeMap& nodes = (kept ? kept : made)->nodes();
  const bool several = nodes.nodes() > 1;
  const SingleCopyProbe probe;
  JointWords joint(nodes.nodes(), nodes.ranks(),
                   !several && world.settings.single_copy != SingleCopy::kOff);
  std::ranges::copy(idle.words(kept.get(), world_ranks, rank, wants), joint.kept().begin());
  if (several) std::ranges::copy(world.private_comms->words(rank == 0), joint.places().begin());
  if (joint.has_probes()) std::ranges::copy(probe.words(), joint.probe(rank).begin());
  std::string why;
  if (made && wants) made->offer_segment(joint, why);
  const Agreement agreement(comm);
  agreement.intersect(joint.all());

  const IdleContainers::Agreed agreed = IdleContainers::agreed(joint.kept());
  if (agreed.is_wanted && agreed.is_same) return kept;
  const bool has_offered = made != nullptr;
  if (kept) idle.keep(std::move(kept));
  if (!agreed.is_wanted) return refuse("it may be a session's");
  if (!made) made = alone(world_ranks, rank);
  made->name_ = agreed.name;
  if (joint.lacks_addresses()) {
    if (!has_offered) made->offer_segment(joint, why);
    agreement.intersect(joint.addresses());
  }
  if (!made->join(comm, joint, need, why)) {
    refusal.why = std::move(why);
    return nullptr;
  }
  return made;
}

std::unique_ptr<Container> Container::create(MPI_Comm comm, IdleContainers& idle, Refusal& refusal,
                                             Need need) {
  std::unique_ptr<Container> container = create_once(comm, idle, refusal, need);
  if (!container && refusal.is_fault && need != Need::kSpare) {
    // Idle ones may have what it wants.
    idle.clear();
    container = create_once(comm, idle, refusal, need);
  }
  return container;
}

}  // namespace mpiactor
