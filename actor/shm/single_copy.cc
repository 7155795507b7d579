#include "actor/shm/single_copy.h"

#include <errno.h>
#include <sys/uio.h>

namespace mpiactor::shm {

bool read_process(int pid, std::uint64_t address, void* to, std::size_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  while (bytes != 0) {
    const iovec local{out, bytes};
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    // The kernel moves at most 2 GiB a call, and stops at a page that is not there.
    const ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (got <= 0) {
      if (got == 0) errno = EFAULT;
      return false;
    }
    const auto moved = static_cast<std::size_t>(got);
    out += moved;
    address += moved;
    bytes -= moved;
  }
  return true;
}

}  // namespace mpiactor::shm
