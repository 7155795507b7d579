#include "actor/container/idle_containers.h"

#include <algorithm>
#include <utility>

#include "actor/container/container.h"
#include "actor/shm/segment.h"

namespace mpiactor {

IdleContainers::IdleContainers() = default;
IdleContainers::~IdleContainers() = default;

// What is dropped goes without the mutex: unmapping memory takes long.
void IdleContainers::keep(std::unique_ptr<Container> container) {
  std::list<std::unique_ptr<Container>> dropped;
  const std::lock_guard lock(mutex_);
  kept_.push_front(std::move(container));
  const std::size_t most = shm::is_half_free() ? kMost : 0;
  std::uint64_t bytes = 0;
  std::size_t number = 0;
  const auto first_too_many = std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) {
    bytes += kept->reserved_staging_bytes();
    return ++number > most || bytes > kMostStagingBytes;
  });
  dropped.splice(dropped.begin(), kept_, first_too_many, kept_.end());
}

std::unique_ptr<Container> IdleContainers::find(std::span<const int> world_ranks) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& container) {
    return container->has_ranks(world_ranks);
  });
  if (found == kept_.end()) return nullptr;
  std::unique_ptr<Container> container = std::move(*found);
  kept_.erase(found);
  return container;
}

// A container's next request has the same number on all ranks, since they have called the same
// collectives. It is compared all the same: a program in which they have not must not go on.
std::array<std::uint64_t, IdleContainers::kWords> IdleContainers::words(
    const Container* mine, std::span<const int> world_ranks, int rank, bool wants) {
  std::uint64_t fresh = ~std::uint64_t{0};
  if (rank == 0) {
    const std::lock_guard lock(mutex_);
    fresh = std::uint64_t(static_cast<std::uint32_t>(world_ranks[0])) << 32 | ++named_;
  }
  const std::uint64_t name = mine ? mine->name() : 0;
  const std::uint64_t sequence = mine ? mine->upcoming_sequence() : 0;
  // Bits that all have set, and that nobody has: a word that is the same everywhere is both.
  return {name, ~name, sequence, ~sequence, fresh, wants};
}

IdleContainers::Agreed IdleContainers::agreed(std::span<const std::uint64_t, kWords> words) {
  const bool same = words[0] == ~words[1] && words[2] == ~words[3];
  return {.is_wanted = words[5] != 0, .is_same = same && words[0] != 0, .name = words[4]};
}

void IdleContainers::clear() {
  std::list<std::unique_ptr<Container>> all;
  const std::lock_guard lock(mutex_);
  all.swap(kept_);
}

}  // namespace mpiactor
