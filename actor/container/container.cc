#include "actor/container/container.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "actor/background/background.h"
#include "actor/competition/arrivals.h"
#include "actor/container/agreement.h"
#include "actor/container/eager_limit.h"
#include "actor/container/peer_policy.h"
#include "actor/container/progress.h"
#include "actor/container/push_limit.h"
#include "actor/container/single_copy_probe.h"
#include "actor/container/staging_walk.h"
#include "actor/shm/copy.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"
#include "inter/assertion.h"
#include "inter/messages.h"

namespace mpiactor {
namespace {

// Empty where one of them was not started with this job.
std::vector<int> world_ranks_of(MPI_Comm comm) {
  MPI_Group group;
  MPI_Group world_group;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group, world_ranks.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  if (std::find(world_ranks.begin(), world_ranks.end(), MPI_UNDEFINED) != world_ranks.end()) {
    return {};
  }
  return world_ranks;
}

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

Container::Container(const World& world, std::uint64_t name, inter::RankMap world_ranks,
                     NodeMap nodes, inter::TorusView view, int rank)
    : world_(world),
      name_(name),
      world_ranks_(std::move(world_ranks)),
      nodes_(std::move(nodes)),
      rank_(rank),
      node_(nodes_.node_of(rank)),
      choices_(
          world.settings, world.tuning, std::move(view), node_,
          layout_for_rules(world.settings, nodes_.most_members(), nodes_.ranks(), world.crowded)),
      rules_(world.tuning, choices_.view().shape, choices_.layout()),
      peers_(peer_policy(world.settings.memory)),
      member_(nodes_.member_index(rank)),
      members_(static_cast<int>(nodes_.members(node_).size())),
      layout_(members_,
              nodes_.table_ints() + choices_.view().table_ints() + world_ranks_.table_ints(),
              world.settings.shm_limit_bytes) {}

Container::~Container() {
  if (queue_) trace::counters().back_pressure += queue_->back_pressure_waits();
  notices_.reset();
  drops_.reset();
}

bool Container::has_ranks(std::span<const int> world_ranks) const {
  if (static_cast<std::size_t>(nodes_.ranks()) != world_ranks.size()) return false;
  for (std::size_t rank = 0; rank < world_ranks.size(); ++rank) {
    if (world_ranks_.to(static_cast<int>(rank)) != world_ranks[rank]) return false;
  }
  return true;
}

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
bool Container::join(MPI_Comm comm, std::string& why) {
  if (nodes_.nodes() > 1) {
    std::string none = "the MPI library's tags are too small";
    if (world_.large_tags) inter_ = world_.private_comms->take(comm, none);
    if (!inter_) {
      if (rank_ == 0) why = none;
      return false;
    }
  }
  return share(comm, why);
}

std::unique_ptr<Container> Container::create(MPI_Comm comm, IdleContainers& idle,
                                             Refusal& refusal) {
  const std::vector<int> world_ranks = world_ranks_of(comm);
  if (world_ranks.empty()) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    refusal.is_fault = false;
    if (rank == 0) refusal.why = "it contains processes of another job";
    return nullptr;
  }
  IdleContainers::Taken taken = idle.take(comm, world_ranks);
  if (taken.container) return std::move(taken.container);
  std::unique_ptr<Container> container = make(comm, taken.name, world_ranks, refusal);
  if (container || !refusal.is_fault) return container;
  // Idle ones may have what it wants.
  idle.clear();
  return make(comm, taken.name, world_ranks, refusal);
}

// A new one. Collective over `comm`, of these ranks.
std::unique_ptr<Container> Container::make(MPI_Comm comm, std::uint64_t name,
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
  if (!container->join(comm, refusal.why)) return nullptr;
  container->header_ = reinterpret_cast<Header*>(container->segment_.data());
  container->queue_.emplace(container->segment_.data() + SegmentLayout::kHeaderBytes,
                            container->members_, container->member_, world.wait);

  if (container->nodes_.nodes() > 1) {
    container->notices_.emplace(*world.notices, container->inter_.name(), container->world_ranks_);
  }
  container->drops_.emplace(container->inter_comm());
  tell_unsuited_settings(container->nodes_, world);
  container->try_single_copy(comm);
  ++trace::counters().containers;
  return container;
}

void Container::finish_background() {
  work_until([this] { return background::unfinished(this) == 0; },
             [] { return background::progress(); });
}

void Container::drain() {
  finish_background();
  if (notices_) {
    notices_->poll();
    notices_->settle(message_number(sequence_ + 1), *drops_);
  }
  shm::Waiter waiter(world_.wait);
  drops_->drain([&] { waiter.pause(); });
}

// Gives memory to the first `bytes` of staging. Several leaders may do so at a time.
bool Container::reserve_staging(std::uint64_t bytes) {
  // Relaxed is enough: the pages themselves are the kernel's to share.
  std::uint64_t reserved = header_->reserved_staging_bytes.load(std::memory_order_relaxed);
  if (bytes <= reserved) return true;
  if (staging_is_short_) return false;
  if (!segment_.reserve(layout_.staging_begin + reserved, bytes - reserved)) {
    staging_is_short_ = true;
    const bool is_first = header_->is_known_to_be_short.exchange(1) == 0;
    static std::atomic<bool> was_said{false};
    const bool is_new = is_first && !was_said.exchange(true);
    say(is_new ? Verbosity::kWarn : Verbosity::kInfo,
        "no memory for more than " + format_bytes(reserved) +
            " of staging; longer messages go through a small ring");
    return false;
  }
  while (reserved < bytes && !header_->reserved_staging_bytes.compare_exchange_weak(
                                 reserved, bytes, std::memory_order_relaxed)) {
  }
  return true;
}

std::optional<std::uint64_t> Container::allocate_staging(std::uint64_t sequence,
                                                         std::uint64_t bytes) {
  // What is surely there stays within its bounds, so that it cannot fail.
  const std::uint64_t within =
      staging_is_short_ ? std::min(header_->reserved_staging_bytes.load(std::memory_order_relaxed),
                                   layout_.request_staging_bytes)
                        : layout_.request_staging_bytes;
  if (bytes > within) return std::nullopt;
  for (;;) {
    const std::uint64_t left = queue_->left_by_all();
    std::optional<std::uint64_t> room;
    // With more ranks than cores the reader's cache is the writer's.
    if (!world_.crowded && StagingWalk::is_worth_it(bytes, shm::copies_past_caches())) {
      room = find_room(*queue_, sequence, bytes, staging_walk_.next(bytes, within), left);
    }
    if (!room) room = find_room(*queue_, sequence, bytes, {0, within}, left);
    if (!room) {
      queue_->wait_one_more_left(left);
      continue;
    }
    MPIACTOR_WITH_ASSERTIONS(assert_staging_is_free(*queue_, sequence, *room, bytes, within));
    if (reserve_staging(*room + bytes)) {
      staging_walk_.took(*room, bytes);
      return room;
    }
    if (bytes > std::max(kSureStagingBytes, work_bytes_)) return std::nullopt;
    return allocate_staging(sequence, bytes);  // within what has memory
  }
}

std::uint64_t Container::push_limit() const {
  return push_limit_bytes(world_.settings, choices_.view().shape, world_.tuning.link,
                          world_.eager_bytes.value_or(kMostEagerBytes));
}

std::uint64_t Container::scatter_push_limit(bool several_candidates) const {
  return scatter_push_limit_bytes(world_.settings, push_limit(), several_candidates,
                                  nodes_.most_members());
}

void Container::prepare_blocking_call(MPI_Comm comm) {
  finish_background();
  if (wanted_by_background_ != 0) grow(comm, wanted_by_background_);
  if (background_wants_send_buffers_) send_buffers(comm);
}

std::uint64_t Container::most_work_bytes() const {
  return has_stopped_growing_ ? work_bytes_ : layout_.staging_bytes / kRequestsAtOnce;
}

// Few steps: each costs an agreement.
std::uint64_t Container::work_bytes_for(std::uint64_t wanted) const {
  const std::uint64_t most = layout_.staging_bytes / kRequestsAtOnce;
  return std::min(std::bit_ceil(std::min(wanted, most)), most);
}

bool Container::lacks_work_bytes(std::uint64_t bytes) {
  if (has_stopped_growing_ || work_bytes_for(bytes) <= work_bytes_) return false;
  wanted_by_background_ = std::max(wanted_by_background_, bytes);
  return true;
}

void Container::grow(MPI_Comm comm, std::uint64_t wanted) {
  wanted = work_bytes_for(wanted);
  if (wanted <= work_bytes_ || has_stopped_growing_ || background::inside()) return;
  wanted_by_background_ = 0;
  // For one request; more at a time get their memory when they come, or wait for each other.
  if (Agreement(comm).all(reserve_staging(wanted))) {
    work_bytes_ = wanted;
  } else {
    has_stopped_growing_ = true;
  }
}

// Gives memory to this member's send buffer.
bool Container::reserve_send_buffers(std::uint64_t stride) {
  if (header_->reserved_staging_bytes.load(std::memory_order_relaxed) >= layout_.staging_bytes)
    return true;
  return segment_.reserve(layout_.staging_begin + layout_.request_staging_bytes +
                              static_cast<std::uint64_t>(member_) * stride,
                          stride);
}

SendBuffers* Container::send_buffers(MPI_Comm comm) {
  if (has_asked_for_send_buffers_) return send_buffers_ ? &*send_buffers_ : nullptr;
  if (background::inside()) return nullptr;  // cannot ask
  has_asked_for_send_buffers_ = true;
  background_wants_send_buffers_ = false;
  const std::uint64_t all = layout_.staging_bytes - layout_.request_staging_bytes;
  const std::uint64_t share = all / static_cast<std::uint64_t>(nodes_.most_members());
  const std::uint64_t stride =
      std::min(share / 4096 * 4096,
               round_to_pages(SendBuffers::kSharedBlockBytes + SendBuffers::kMostBufferBytes));
  if (stride < SendBuffers::kSharedBlockBytes + SendBuffers::kLeastBufferBytes) return nullptr;
  if (!Agreement(comm).all(reserve_send_buffers(stride))) return nullptr;
  send_buffers_.emplace(staging(layout_.request_staging_bytes), stride, member_, *queue_);
  return &*send_buffers_;
}

bool Container::lacks_send_buffers() {
  if (!has_asked_for_send_buffers_) background_wants_send_buffers_ = true;
  return !send_buffers_;
}

std::shared_ptr<const Choice> Container::choose(inter::Collective collective, int root_node,
                                                std::uint64_t bytes, std::uint64_t granule_bytes) {
  auto choice = choices_.choose(collective, root_node, bytes, granule_bytes);
  trace::algorithm(choice->selection.algorithm->name);
  return choice;
}

inter::Plan Container::alltoall_plan(const inter::Algorithm& algorithm,
                                     std::span<const inter::ByteRange> gives,
                                     std::span<const inter::ByteRange> takes) const {
  return choices_.alltoall_plan(algorithm, gives, takes);
}

}  // namespace mpiactor
