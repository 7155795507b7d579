#include "actor/shm/single_copy.h"

#include <errno.h>
#include <sys/uio.h>

namespace mpiactor::shm {
namespace {

using Move = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                         unsigned long);

bool move_all(Move move, int pid, std::uint64_t address, void* here, std::size_t bytes) {
  auto* own = static_cast<std::byte*>(here);
  while (bytes != 0) {
    const iovec local{own, bytes};
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    // The kernel moves at most 2 GiB a call, and stops at a page that is not there.
    const ssize_t got = move(pid, &local, 1, &remote, 1, 0);
    if (got <= 0) {
      if (got == 0) errno = EFAULT;
      return false;
    }
    const auto moved = static_cast<std::size_t>(got);
    own += moved;
    address += moved;
    bytes -= moved;
  }
  return true;
}

}  // namespace

bool read_process(int pid, std::uint64_t address, void* to, std::size_t bytes) {
  return move_all(process_vm_readv, pid, address, to, bytes);
}

bool write_process(int pid, std::uint64_t address, const void* from, std::size_t bytes) {
  // The system only reads what it is given as its own.
  return move_all(process_vm_writev, pid, address, const_cast<void*>(from), bytes);
}

}  // namespace mpiactor::shm
