#include "actor/node/direct_reads.h"

#include <errno.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "actor/container/world.h"
#include "actor/shm/single_copy.h"

namespace mpiactor {

DirectReads::DirectReads(Container& container)
    : container_(container),
      meeting_(container, static_cast<std::uint64_t>(container.members()) * sizeof(Offer)) {}

void DirectReads::offer(const std::byte* memory) {
  of(container_.member()) = {reinterpret_cast<std::uint64_t>(memory), getpid(), 0};
  meeting_.end_phase(1);
}

bool DirectReads::all_offered() {
  meeting_.wait_phase(1);
  bool all = true;
  for (int member = 0; member < container_.members(); ++member) all &= of(member).address != 0;
  if (!all) meeting_.leave();
  return all;
}

void DirectReads::read(int member, std::uint64_t offset, std::uint64_t bytes, std::byte* to) {
  const Offer& offer = of(member);
  if (failed_ || shm::read_process(offer.pid, offer.address + offset, to, bytes)) return;
  failed_ = true;
  say(Verbosity::kInfo,
      std::string("no single copy from now on: process_vm_readv: ") + std::strerror(errno));
}

bool DirectReads::finish() {
  of(container_.member()).failed = failed_;
  meeting_.end_phase(2);
  meeting_.wait_phase(2);
  bool good = true;
  for (int member = 0; member < container_.members(); ++member) good &= of(member).failed == 0;
  meeting_.leave();
  if (!good) container_.stop_single_copy();
  return good;
}

}  // namespace mpiactor
