// Copies between this process's memory and another one's: one copy, where staging takes two.
#ifndef MPIACTOR_ACTOR_SHM_SINGLE_COPY_H_
#define MPIACTOR_ACTOR_SHM_SINGLE_COPY_H_

#include <cstddef>
#include <cstdint>

namespace mpiactor::shm {

// Copies `bytes` from `address` of process `pid` (this process is allowed, too). False where not
// all of them could be had, errno then says why: EPERM and ENOSYS (process_vm_readv is not
// permitted or not there), EFAULT (no such memory), ESRCH (no such process). `to` may then hold a
// part.
bool read_process(int pid, std::uint64_t address, void* to, std::size_t bytes);
// The other way: to `address` of process `pid` (process_vm_writev).
bool write_process(int pid, std::uint64_t address, const void* from, std::size_t bytes);

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_SINGLE_COPY_H_
