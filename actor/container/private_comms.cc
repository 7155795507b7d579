#include "actor/container/private_comms.h"

#include <bit>

#include "actor/container/agreement.h"
#include "inter/drop_list.h"
#include "inter/messages.h"

namespace mpiactor {

std::uint64_t PrivateComms::Place::number(std::uint64_t sequence) const {
  const std::uint64_t window = sequence / inter::kSequenceWindow;
  return (window * inter::comm_places + static_cast<std::uint64_t>(place_)) *
             inter::kSequenceWindow +
         sequence % inter::kSequenceWindow;
}

PrivateComms::PrivateComms(MPI_Comm world_comm) {
  constexpr std::uint32_t kAll = ~std::uint32_t{0};
  static_assert(inter::kMostPlaces == 32, "a word of bits");
  free_.fill(kAll >> (inter::kMostPlaces - inter::comm_places));
  comms_.fill(MPI_COMM_NULL);
  comms_[0] = world_comm;
  for (std::size_t i = 1; i < kComms; ++i) {
    inter::check_mpi(PMPI_Comm_dup(world_comm, &comms_[i]), "making a private communicator");
    PMPI_Comm_set_errhandler(comms_[i], MPI_ERRORS_RETURN);
  }
}

void PrivateComms::receive_left_over() {
  for (const MPI_Comm comm : comms_) {
    if (comm != MPI_COMM_NULL) inter::receive_left_over(comm);
  }
}

PrivateComms::~PrivateComms() {
  for (std::size_t i = 1; i < kComms; ++i) {
    if (comms_[i] != MPI_COMM_NULL) PMPI_Comm_free(&comms_[i]);
  }
}

// All that are free here. A thread that asks at the same time goes on to the next communicator, and
// waits for nobody: the other one may wait for it elsewhere.
std::uint32_t PrivateComms::reserve(std::size_t comm_index) {
  const std::lock_guard lock(mutex_);
  return std::exchange(free_[comm_index], 0);
}

void PrivateComms::give_back(std::size_t comm_index, std::uint32_t places) {
  const std::lock_guard lock(mutex_);
  free_[comm_index] |= places;
}

PrivateComms::Place PrivateComms::take(MPI_Comm comm, std::string& why) {
  const Agreement agreement(comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  for (std::size_t i = 0; i < kComms; ++i) {
    const std::uint32_t mine = reserve(i);
    std::uint64_t common = mine;
    agreement.intersect({&common, 1});
    const auto places = static_cast<std::uint32_t>(common);
    const std::uint32_t taken = places & ~(places - 1);  // the lowest; 0 of none
    give_back(i, mine & ~taken);
    if (taken != 0) return Place(this, i, std::countr_zero(taken));
  }
  if (rank == 0) why = "too many communicators are alive";
  return {};
}

}  // namespace mpiactor
