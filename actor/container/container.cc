#include "actor/container/container.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "actor/background/background.h"
#include "actor/comm/agreement.h"
#include "actor/container/eager_limit.h"
#include "actor/container/peer_policy.h"
#include "actor/container/progress.h"
#include "actor/container/push_limit.h"
#include "actor/container/staging_walk.h"
#include "actor/shm/copy.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"
#include "inter/assertion.h"

namespace mpiactor {

Container::Container(const World& world, inter::RankMap world_ranks, NodeMap nodes,
                     inter::TorusView view, int rank)
    : world_(world),
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

void Container::finish_background() {
  work_until([this] { return background::unfinished(this) == 0; },
             [] { return background::progress(); });
}

void Container::drain() {
  finish_background();
  shm::Waiter waiter(world_.wait);
  while (!is_drained()) waiter.pause();
}

bool Container::is_drained() {
  if (background::unfinished(this) != 0) return false;
  if (notices_) {
    notices_->poll();
    notices_->settle(message_number(sequence_ + 1), *drops_);
  }
  drops_->sweep();
  return drops_->size() == 0;
}

// Gives memory to the first `bytes` of staging. Several leaders may do so at a time.
bool Container::reserve_staging(std::uint64_t bytes) {
  // Relaxed is enough: the pages themselves are the kernel's to share.
  std::uint64_t reserved = header_->reserved_staging_bytes.load(std::memory_order_relaxed);
  if (bytes <= reserved) return true;
  if (staging_is_short_) return false;
  if (!shm::leaves_enough_free(bytes - reserved) ||
      !segment_.reserve(layout_.staging_begin + reserved, bytes - reserved)) {
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
  if (single_copy_has_failed_) single_copy_ = false;
  if (wanted_by_background_ != 0) grow(comm, wanted_by_background_, parts_by_background_);
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

bool Container::lacks_work_bytes(std::uint64_t bytes, std::uint64_t parts) {
  if (has_stopped_growing_ || work_bytes_for(bytes) <= work_bytes(parts)) return false;
  wanted_by_background_ = std::max(wanted_by_background_, bytes);
  parts_by_background_ = std::max(parts_by_background_, parts);
  return true;
}

void Container::grow(MPI_Comm comm, std::uint64_t wanted, std::uint64_t parts) {
  wanted = work_bytes_for(wanted);
  if (wanted <= work_bytes(parts) || has_stopped_growing_ || background::inside()) return;
  wanted_by_background_ = 0;
  parts_by_background_ = 1;
  // Requests of other calls get their memory when they come, or wait for each other.
  const std::uint64_t all = wanted * parts;
  if (Agreement(comm).all(reserve_staging(all))) {
    work_bytes_ = std::max(work_bytes_, wanted);
    agreed_staging_bytes_ = std::max(agreed_staging_bytes_, all);
  } else {
    has_stopped_growing_ = true;
  }
}

void Container::grow_like(const Container& other, MPI_Comm comm) {
  grow(comm, other.work_bytes_, other.agreed_staging_bytes_ / other.work_bytes_);
  if (other.send_buffers_) send_buffers(comm);
}

// Gives memory to this member's send buffer.
bool Container::reserve_send_buffers(std::uint64_t stride) {
  if (header_->reserved_staging_bytes.load(std::memory_order_relaxed) >= layout_.staging_bytes)
    return true;
  return shm::leaves_enough_free(stride) &&
         segment_.reserve(layout_.staging_begin + layout_.request_staging_bytes +
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
