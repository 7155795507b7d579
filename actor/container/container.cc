#include "actor/container/container.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "actor/trace/counters.h"

namespace mpiactor {
namespace {

constexpr std::size_t kMostKeptChoices = 64;

// A private communicator takes one of the MPI library's context ids, of which there are about 2,000
// in all: leave most of them to the application.
constexpr int kMostPrivateComms = 512;
std::atomic<int> private_comms{0};

std::vector<Place> places_of(MPI_Comm comm, const World& world) {
  MPI_Group group;
  MPI_Group world_group;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world_ranks(ranks.size());
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group, world_ranks.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  std::vector<Place> places;
  places.reserve(ranks.size());
  for (const int rank : world_ranks) {
    if (rank == MPI_UNDEFINED) return {};  // a process that was not started with this job
    places.push_back(world.places[static_cast<std::size_t>(rank)]);
  }
  return places;
}

bool all_agree(bool mine, MPI_Comm comm) {
  int agreed = mine;
  PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT, MPI_MIN, comm);
  return agreed != 0;
}

}  // namespace

Container::Container(const World& world, NodeMap nodes, int rank)
    : world_(world),
      nodes_(std::move(nodes)),
      rank_(rank),
      node_(nodes_.node_of(rank)),
      member_(nodes_.member_index(rank)),
      members_(static_cast<int>(nodes_.members(node_).size())) {
  for (int node = 0; node < nodes_.nodes(); ++node) {
    most_members_ = std::max(most_members_, static_cast<int>(nodes_.members(node).size()));
  }
}

Container::~Container() {
  if (queue_) trace::counters().back_pressure += queue_->back_pressure_waits();
  drops_.reset();
  if (inter_comm_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&inter_comm_);
    --private_comms;
  }
}

// The lowest member of the node creates, the others attach. Collective over `comm`, no agreement
// between nodes: the caller asks all_agree.
bool Container::share(MPI_Comm comm, std::size_t bytes, shm::Segment& out, std::string& why) {
  MPI_Comm node_comm;
  if (PMPI_Comm_split(comm, node_, rank_, &node_comm) != MPI_SUCCESS) {
    why = "no communicator for the node";
    return false;
  }
  shm::Segment::Address address;
  bool good = true;
  if (member_ == 0) {
    try {
      out = shm::Segment::create(bytes);
      address = out.address();
    } catch (const shm::SegmentError& error) {
      why = error.what();
      good = false;
    }
  }
  PMPI_Bcast(&address, sizeof address, MPI_BYTE, 0, node_comm);
  if (member_ != 0) {
    try {
      if (address.descriptor < 0)
        throw shm::SegmentError("the node's lowest member could not create shared memory");
      out = shm::Segment::attach(address, bytes);
    } catch (const shm::SegmentError& error) {
      why = error.what();
      good = false;
    }
  }
  PMPI_Barrier(node_comm);
  out.close_descriptor();
  PMPI_Comm_free(&node_comm);
  return good;
}

std::unique_ptr<Container> Container::create(MPI_Comm comm, std::string& why) {
  const World& world = *mpiactor::world();
  std::vector<Place> places = places_of(comm, world);
  if (places.empty()) {
    why = "it contains processes of another job";
    return nullptr;
  }
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  std::unique_ptr<Container> container(
      new Container(world, NodeMap(places, world.settings.candidates), rank));
  container->view_ = torus_view(world.torus, places, container->nodes_);

  bool good =
      container->nodes_.nodes() == 1 || (world.large_tags && private_comms < kMostPrivateComms);
  if (!good)
    why = world.large_tags ? "too many communicators are alive"
                           : "the MPI library's tags are too small";
  const std::size_t bytes = competition::RequestQueue::bytes_needed(container->members_);
  good = container->share(comm, bytes, container->control_, why) && good;
  if (!all_agree(good, comm)) {
    if (why.empty()) why = "another rank could not take part";
    return nullptr;
  }
  container->control_.touch(0, bytes);
  container->queue_.emplace(container->control_.data(), container->members_, container->member_,
                            world.wait);

  if (container->nodes_.nodes() > 1) {
    good = PMPI_Comm_split(comm, 0, rank, &container->inter_comm_) == MPI_SUCCESS;
    if (good) {
      ++private_comms;
      PMPI_Comm_set_errhandler(container->inter_comm_, MPI_ERRORS_RETURN);
    }
    if (!all_agree(good, comm)) {
      why = "the MPI library has no communicator left";
      return nullptr;
    }
  }
  container->drops_.emplace(container->inter_comm_);
  return container;
}

void Container::drain() {
  shm::Backoff backoff(world_.wait);
  drops_->drain([&] {
    if (backoff.spin()) backoff.nap();
  });
}

bool Container::prepare_staging(MPI_Comm comm, std::uint64_t bytes) {
  // Two sizes: communicators with short messages alone get by with the small one.
  constexpr std::uint64_t kSmall = 256 << 10;
  const std::uint64_t limit = world_.settings.shm_limit_bytes;
  const std::uint64_t wanted = bytes <= kSmall / 8 ? std::min(kSmall, limit) : limit;
  if (staging_bytes() >= wanted) return true;
  if (growth_failed_) return staging_bytes() >= bytes;
  // Everybody is here, so every earlier request is over and the old memory unused.
  shm::Segment fresh;
  std::string why;
  const bool good = share(comm, wanted, fresh, why);
  if (!all_agree(good, comm)) {
    growth_failed_ = true;
    say(Verbosity::kInfo,
        "no larger staging memory for a communicator" + (why.empty() ? "" : ": " + why));
    return staging_bytes() >= bytes;
  }
  fresh.touch(0, wanted);
  staging_.segment = std::move(fresh);
  staging_.present = true;
  return true;
}

std::optional<std::uint64_t> Container::find_room(std::uint64_t sequence, std::uint64_t bytes) {
  // Ranges of the requests before this one that some member has not left yet. Their descriptions
  // are published: this member itself has left them.
  const std::uint64_t first_live = queue_->left_by_all();
  std::pair<std::uint64_t, std::uint64_t> live[competition::kSlots];
  std::size_t count = 0;
  for (std::uint64_t s = std::max<std::uint64_t>(first_live, 1); s < sequence; ++s) {
    const competition::Description& description = queue_->slot(s).description;
    if (description.staging_bytes == 0) continue;
    live[count++] = {description.log_offset,
                     description.staging_offset + description.staging_bytes};
  }
  // First fit from the bottom: balanced programs reuse the same warm memory.
  std::sort(live, live + count);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < count && begin + bytes > live[i].first; ++i) {
    begin = std::max(begin, live[i].second);
  }
  if (begin + bytes > staging_bytes()) return std::nullopt;
  return begin;
}

std::uint64_t Container::allocate_staging(std::uint64_t sequence, std::uint64_t bytes) {
  for (;;) {
    if (const auto room = find_room(sequence, bytes)) return *room;
    queue_->wait_one_more_left();
  }
}

const Container::Choice& Container::choose_bcast(int root_node, std::uint64_t bytes) {
  const ChoiceKey key{root_node, bytes};
  const auto found = choices_.find(key);
  if (found != choices_.end()) return found->second;
  if (choices_.size() >= kMostKeptChoices) choices_.clear();
  Choice choice;
  const Settings& settings = world_.settings;
  choice.selection = inter::select_bcast(view_.shape, bytes, settings.bcast, settings.segment_bytes,
                                         world_.tuning);
  const auto position = [&](int node) { return view_.position_of[static_cast<std::size_t>(node)]; };
  inter::PlanInput input;
  input.shape = view_.shape;
  input.root_node = position(root_node);
  input.bytes = bytes;
  input.node = position(node_);
  choice.plan = choice.selection.algorithm->make_plan(input);
  inter::translate_peers(choice.plan, view_);
  return choices_.emplace(key, std::move(choice)).first->second;
}

}  // namespace mpiactor
