#include "actor/container/private_comms.h"

#include <bit>

#include "inter/messages.h"

namespace mpiactor {
namespace {

constexpr std::size_t kNoSlot = 64;
constexpr std::uint64_t bit_of(std::size_t index) { return std::uint64_t{1} << index; }

bool is_same(MPI_Group one, MPI_Group other) {
  int size[2];
  int rank[2];
  PMPI_Group_size(one, &size[0]);
  PMPI_Group_size(other, &size[1]);
  PMPI_Group_rank(one, &rank[0]);
  PMPI_Group_rank(other, &rank[1]);
  if (size[0] != size[1] || rank[0] != rank[1]) return false;
  int result = MPI_UNEQUAL;
  PMPI_Group_compare(one, other, &result);
  return result == MPI_IDENT;
}

}  // namespace

std::uint64_t PrivateComms::Place::number(std::uint64_t sequence) const {
  const std::uint64_t window = sequence / inter::kSequenceWindow;
  return (window * inter::kPlaces + index_) * inter::kSequenceWindow +
         sequence % inter::kSequenceWindow;
}

PrivateComms::PrivateComms(MPI_Comm world_comm) : world_comm_(world_comm) {
  static_assert(inter::kPlaces == 32, "a word of bits");
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  has_threads_ = level == MPI_THREAD_MULTIPLE;
  PMPI_Comm_rank(world_comm, &world_rank_);
  slots_[0].comm = world_comm;
  PMPI_Comm_group(world_comm, &slots_[0].group);
}

PrivateComms::~PrivateComms() { PMPI_Group_free(&slots_[0].group); }

// A free slot, or kNoSlot.
std::size_t PrivateComms::reserve_slot() {
  const std::lock_guard lock(mutex_);
  const auto slot = static_cast<std::size_t>(std::countr_zero(free_slots_));
  if (slot != kNoSlot) free_slots_ &= ~bit_of(slot);
  return slot;
}

void PrivateComms::release_slot(std::size_t slot) {
  const std::lock_guard lock(mutex_);
  free_slots_ |= bit_of(slot);
}

PrivateComms::Offer PrivateComms::make_offer(MPI_Comm comm, MPI_Group group) {
  const std::lock_guard lock(mutex_);
  Offer offer;
  offer.free_slots = free_slots_;
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  // Of two groups that make a communicator at the same time, each has its own tag.
  constexpr int kBits = 8;
  const auto lowest = static_cast<std::uint64_t>(world_rank_);
  offer.tag = rank == 0 ? lowest << kBits | made_++ % bit_of(kBits) : ~std::uint64_t{0};
  if (has_threads_) return offer;
  for (std::size_t i = 0; i < kMost; ++i) {
    const Slot& slot = slots_[i];
    if (slot.comm != MPI_COMM_NULL && is_same(slot.group, group)) {
      offer.free_places[i] = ~slot.taken;
    }
  }
  return offer;
}

// A place in a communicator that is there, if all have one.
PrivateComms::Place PrivateComms::share(const Offer& agreed) {
  for (std::size_t i = 0; i < kMost; ++i) {
    if (agreed.free_places[i] == 0) continue;
    const auto index = static_cast<std::size_t>(std::countr_zero(agreed.free_places[i]));
    slots_[i].taken |= std::uint32_t{1} << index;
    return {this, i, index, slots_[i].comm};
  }
  return {};
}

// MPI_Comm_create_group, since what fails in it is raised on world_comm_, and not on a communicator
// of the application.
PrivateComms::Place PrivateComms::make(std::size_t slot, MPI_Group group, std::uint64_t tag) {
  MPI_Comm comm;
  const int short_tag = static_cast<int>(tag & inter::kLargestTag);
  if (PMPI_Comm_create_group(world_comm_, group, short_tag, &comm) != MPI_SUCCESS) return {};
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Group kept;
  PMPI_Comm_group(comm, &kept);
  const std::lock_guard lock(mutex_);
  free_slots_ &= ~bit_of(slot);
  slots_[slot] = {comm, kept, 1};
  return {this, slot, 0, comm};
}

PrivateComms::Place PrivateComms::take(MPI_Comm comm, std::string& why) {
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  const std::size_t own_slot = has_threads_ ? reserve_slot() : kNoSlot;
  Offer offer = make_offer(comm, group);
  if (has_threads_) offer.free_slots = own_slot == kNoSlot ? 0 : ~std::uint64_t{0};
  static_assert(sizeof(Offer) % sizeof(std::uint64_t) == 0);
  PMPI_Allreduce(MPI_IN_PLACE, &offer, sizeof offer / sizeof(std::uint64_t), MPI_UINT64_T, MPI_BAND,
                 comm);
  Place place = share(offer);
  if (!place && offer.free_slots == 0) why = "too many communicators are alive";
  if (!place && offer.free_slots != 0) {
    const auto common = static_cast<std::size_t>(std::countr_zero(offer.free_slots));
    place = make(has_threads_ ? own_slot : common, group, offer.tag);
    if (!place) why = "the MPI library has no communicator left";
  }
  if (!place && own_slot != kNoSlot) release_slot(own_slot);
  PMPI_Group_free(&group);
  return place;
}

void PrivateComms::give_back(std::size_t slot, std::size_t index) {
  Slot last;
  {
    const std::lock_guard lock(mutex_);
    slots_[slot].taken &= ~(std::uint32_t{1} << index);
    if (slots_[slot].taken != 0 || slot == 0) return;
    std::swap(last, slots_[slot]);
  }
  PMPI_Group_free(&last.group);
  PMPI_Comm_free(&last.comm);
  release_slot(slot);
}

}  // namespace mpiactor
