#include "actor/node/offers.h"

#include <algorithm>

#include "actor/container/progress.h"
#include "actor/shm/wait.h"

namespace mpiactor {

void close_offers(std::span<Offer* const> offers, std::uint64_t sequence, std::uint64_t bytes) {
  constexpr std::uint64_t kLeastNs = 4'000;
  constexpr std::uint64_t kBytesPerNs = 4;
  const std::uint64_t end_ns = shm::monotonic_ns() + kLeastNs + bytes / kBytesPerNs;
  const auto poll_until = [](auto done) { work_until(done, [] { return false; }); };
  poll_until([&] {
    return shm::monotonic_ns() >= end_ns ||
           std::none_of(offers.begin(), offers.end(),
                        [=](const Offer* each) { return each->is_open(sequence); });
  });
  for (Offer* const each : offers) each->take_back(sequence);
  poll_until([&] {
    return std::none_of(offers.begin(), offers.end(),
                        [=](const Offer* each) { return each->is_being_read(sequence); });
  });
}

}  // namespace mpiactor
