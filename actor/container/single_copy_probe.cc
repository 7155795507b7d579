#include "actor/container/single_copy_probe.h"

#include <errno.h>
#include <unistd.h>

#include <cstring>

#include "actor/shm/single_copy.h"
#include "actor/shm/wait.h"

namespace mpiactor {

// One that no other process has at this address by chance.
SingleCopyProbe::SingleCopyProbe()
    : number_((shm::monotonic_ns() + static_cast<unsigned>(getpid())) * 0x9e3779b97f4a7c15u) {}

std::array<std::uint64_t, SingleCopyProbe::kWords> SingleCopyProbe::words() const {
  return {static_cast<std::uint64_t>(getpid()), reinterpret_cast<std::uint64_t>(&number_), number_};
}

std::string SingleCopyProbe::why_unreadable(std::span<const std::uint64_t, kWords> words) {
  std::uint64_t seen = 0;
  if (!shm::read_process(static_cast<int>(words[0]), words[1], &seen, sizeof seen)) {
    return std::string("process_vm_readv: ") + std::strerror(errno);
  }
  return seen == words[2] ? "" : "ranks of one machine number its processes differently";
}

}  // namespace mpiactor
