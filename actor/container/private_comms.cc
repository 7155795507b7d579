#include "actor/container/private_comms.h"

#include <bit>

#include "actor/container/agreement.h"
#include "inter/messages.h"

namespace mpiactor {

std::uint64_t PrivateComms::Place::number(std::uint64_t sequence) const {
  const std::uint64_t window = sequence / inter::kSequenceWindow;
  const std::uint64_t place = index_ == kOwn ? 0 : index_ % inter::kPlaces;
  return (window * inter::kPlaces + place) * inter::kSequenceWindow +
         sequence % inter::kSequenceWindow;
}

PrivateComms::PrivateComms(MPI_Comm world_comm) {
  static_assert(inter::kPlaces == 32, "a word of bits");
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  has_threads_ = level == MPI_THREAD_MULTIPLE;
  PMPI_Comm_rank(world_comm, &world_rank_);
  comms_.fill(MPI_COMM_NULL);
  comms_[0] = world_comm;
  for (std::size_t i = 1; i < kComms && !has_threads_; ++i) {
    inter::check_mpi(PMPI_Comm_dup(world_comm, &comms_[i]), "making a private communicator");
    PMPI_Comm_set_errhandler(comms_[i], MPI_ERRORS_RETURN);
  }
}

PrivateComms::~PrivateComms() {
  for (std::size_t i = 1; i < kComms; ++i) {
    if (comms_[i] != MPI_COMM_NULL) PMPI_Comm_free(&comms_[i]);
  }
}

PrivateComms::Offer PrivateComms::make_offer(int rank) {
  const std::lock_guard lock(mutex_);
  Offer offer;
  if (has_threads_) {
    offer.free_places[0] = own_ < kMostOwn;
  } else {
    for (std::size_t i = 0; i < kComms; ++i) offer.free_places[i] = ~taken_[i];
  }
  if (rank == 0) offer.name = static_cast<std::uint64_t>(world_rank_) << 32 | ++named_;
  return offer;
}

PrivateComms::Place PrivateComms::take(MPI_Comm comm, std::string& why) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  Offer offer = make_offer(rank);
  static_assert(sizeof(Offer) % sizeof(std::uint64_t) == 0);
  Agreement(comm).intersect(
      {reinterpret_cast<std::uint64_t*>(&offer), sizeof offer / sizeof(std::uint64_t)});
  Place place;
  std::size_t i = 0;
  while (i < kComms && offer.free_places[i] == 0) ++i;
  if (i == kComms) {
    why = "too many communicators are alive";
  } else if (has_threads_) {
    place = make_own(comm, offer);
    if (!place) why = "the MPI library has no communicator left";
  } else {
    const auto bit = static_cast<std::size_t>(std::countr_zero(offer.free_places[i]));
    taken_[i] |= std::uint32_t{1} << bit;
    place.owner_ = this;
    place.index_ = i * inter::kPlaces + bit;
    place.comm_ = comms_[i];
  }
  place.name_ = offer.name;
  return place;
}

// MPI_Comm_create_group, since what fails in it is raised on the runtime's communicator, and not on
// one of the application. Of two groups that make one at the same time, each has its own tag.
PrivateComms::Place PrivateComms::make_own(MPI_Comm comm, const Offer& agreed) {
  constexpr int kBits = 8;
  const std::uint64_t tag = (agreed.name >> 32) << kBits | (agreed.name & ((1 << kBits) - 1));
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  Place place;
  const int error = PMPI_Comm_create_group(
      comms_[0], group, static_cast<int>(tag & inter::kLargestTag), &place.comm_);
  PMPI_Group_free(&group);
  if (error != MPI_SUCCESS) return {};
  PMPI_Comm_set_errhandler(place.comm_, MPI_ERRORS_RETURN);
  place.owner_ = this;
  place.index_ = kOwn;
  const std::lock_guard lock(mutex_);
  ++own_;
  return place;
}

void PrivateComms::give_back(Place& place) {
  if (place.index_ == kOwn) PMPI_Comm_free(&place.comm_);
  const std::lock_guard lock(mutex_);
  if (place.index_ == kOwn) {
    --own_;
  } else {
    taken_[place.index_ / inter::kPlaces] &= ~(std::uint32_t{1} << place.index_ % inter::kPlaces);
  }
}

}  // namespace mpiactor
