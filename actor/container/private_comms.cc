#include "actor/container/private_comms.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "actor/comm/agreement.h"
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
  static_assert(inter::kMostPlaces < 64, "a word of bits");
  free_.fill((std::uint64_t{1} << inter::comm_places) - 1);
  comms_.fill(MPI_COMM_NULL);
  comms_[0] = world_comm;
  for (std::size_t i = 1; i < kComms; ++i) {
    comms_[i] = inter::duplicate(world_comm, "making a private communicator");
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

std::array<std::uint64_t, PrivateComms::kComms> PrivateComms::free_places() {
  const std::lock_guard lock(mutex_);
  return free_;
}

bool PrivateComms::claim(std::size_t comm_index, std::uint64_t place) {
  const std::lock_guard lock(mutex_);
  const bool is_free = (free_[comm_index] & ~claimed_[comm_index] & place) != 0;
  if (is_free) claimed_[comm_index] |= place;
  return is_free;
}

void PrivateComms::settle(std::size_t comm_index, std::uint64_t place, bool is_taken) {
  const std::lock_guard lock(mutex_);
  claimed_[comm_index] &= ~place;
  if (is_taken) free_[comm_index] &= ~place;
}

void PrivateComms::give_back(std::size_t comm_index, std::uint64_t place) {
  const std::lock_guard lock(mutex_);
  free_[comm_index] |= place;
}

// Threads that take places at a time wait for nobody, since they may wait for each other elsewhere.
// Where two want the same place, it may be one's here and the other's there: then nobody gets it.
// Places are drawn, so that this does not go on.
PrivateComms::Place PrivateComms::take(MPI_Comm comm, Need need, std::string& why) {
  const Agreement agreement(comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  for (;;) {
    std::array<std::uint64_t, kComms + 1> common;
    std::ranges::copy(free_places(), common.begin());
    std::uint64_t& draw = common.back();
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    draw = rank == 0 ? static_cast<std::uint64_t>(now) : ~std::uint64_t{0};
    agreement.intersect(common);
    int left = 0;
    for (std::size_t i = 0; i < kComms; ++i) left += std::popcount(common[i]);
    const int half = static_cast<int>(kComms * inter::comm_places / 2);
    if (left <= (need == Need::kSpare ? half : 0)) break;
    auto skipped = static_cast<int>(draw % static_cast<unsigned>(left));
    std::size_t i = 0;
    for (; skipped >= std::popcount(common[i]); ++i) skipped -= std::popcount(common[i]);
    for (; skipped > 0; --skipped) common[i] &= common[i] - 1;
    const int place = std::countr_zero(common[i]);
    const std::uint64_t bit = std::uint64_t{1} << place;
    const bool is_mine = claim(i, bit);
    const bool is_taken = agreement.all(is_mine);
    if (is_mine) settle(i, bit, is_taken);
    if (is_taken) return Place(this, i, place);
  }
  if (rank == 0) why = "too many communicators are alive";
  return {};
}

}  // namespace mpiactor
