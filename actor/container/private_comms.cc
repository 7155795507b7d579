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

void PrivateComms::give_back(std::size_t comm_index, std::uint64_t place) {
  const std::lock_guard lock(mutex_);
  free_[comm_index] |= place;
}

std::array<std::uint64_t, PrivateComms::kWords> PrivateComms::words(bool draws) {
  std::array<std::uint64_t, kWords> words;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  words.back() = draws ? static_cast<std::uint64_t>(now) : ~std::uint64_t{0};
  const std::lock_guard lock(mutex_);
  std::ranges::copy(free_, words.begin());
  return words;
}

std::optional<PrivateComms::Claim> PrivateComms::claim(
    std::span<const std::uint64_t, kWords> agreed, Need need) {
  int left = 0;
  for (const std::uint64_t places : agreed.first<kComms>()) left += std::popcount(places);
  const int half = static_cast<int>(kComms * inter::comm_places / 2);
  if (left <= (need == Need::kSpare ? half : 0)) return std::nullopt;
  auto skipped = static_cast<int>(agreed.back() % static_cast<unsigned>(left));
  std::size_t i = 0;
  for (; skipped >= std::popcount(agreed[i]); ++i) skipped -= std::popcount(agreed[i]);
  std::uint64_t places = agreed[i];
  for (; skipped > 0; --skipped) places &= places - 1;
  Claim claim{.comm_index = i, .place = std::countr_zero(places)};
  const std::uint64_t bit = std::uint64_t{1} << claim.place;
  const std::lock_guard lock(mutex_);
  claim.is_mine = (free_[i] & ~claimed_[i] & bit) != 0;
  if (claim.is_mine) claimed_[i] |= bit;
  return claim;
}

PrivateComms::Place PrivateComms::settle(const Claim& claim, bool is_taken) {
  const std::uint64_t bit = std::uint64_t{1} << claim.place;
  const std::lock_guard lock(mutex_);
  if (claim.is_mine) claimed_[claim.comm_index] &= ~bit;
  if (!is_taken) return {};
  free_[claim.comm_index] &= ~bit;
  return Place(this, claim.comm_index, claim.place);
}

// Threads that take places at a time wait for nobody, since they may wait for each other elsewhere.
// Where two want the same place, it may be one's here and the other's there: then nobody gets it.
// Places are drawn, so that this does not go on.
PrivateComms::Place PrivateComms::take(MPI_Comm comm, Need need) {
  const Agreement agreement(comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  for (;;) {
    std::array<std::uint64_t, kWords> agreed = words(rank == 0);
    agreement.intersect(agreed);
    const std::optional<Claim> drawn = claim(agreed, need);
    if (!drawn) return {};
    if (Place place = settle(*drawn, agreement.all(drawn->is_mine))) return place;
  }
}

}  // namespace mpiactor
