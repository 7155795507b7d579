// System calls that no function of the program can stand in for: a C program may have a poll() or a
// nanosleep() of its own, which libraries that are loaded with it would call.
#ifndef MPIACTOR_ACTOR_SHM_KERNEL_H_
#define MPIACTOR_ACTOR_SHM_KERNEL_H_

#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>

// As the functions of the same names: -1 with errno where the system refuses.
namespace mpiactor::kernel {

// Whether something of `entry.events` is the case now.
inline int poll_now(pollfd& entry) {
  timespec none = {};
  return static_cast<int>(syscall(SYS_ppoll, &entry, 1UL, &none, nullptr, 0UL));
}

inline void nanosleep(const timespec& duration) {
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &duration, nullptr);
}

inline int prctl(int option, unsigned long value) {
  return static_cast<int>(syscall(SYS_prctl, option, value, 0UL, 0UL, 0UL));
}

inline int getrlimit(int resource, rlimit& limit) {
  static_assert(sizeof(rlimit) == 2 * sizeof(unsigned long));
  return static_cast<int>(syscall(SYS_prlimit64, 0, resource, nullptr, &limit));
}

inline int fchmod(int descriptor, mode_t mode) {
  return static_cast<int>(syscall(SYS_fchmod, descriptor, mode));
}

inline int ftruncate(int descriptor, off_t bytes) {
  static_assert(sizeof(off_t) == sizeof(long));
  return static_cast<int>(syscall(SYS_ftruncate, descriptor, bytes));
}

inline int munlock(void* memory, std::size_t bytes) {
  return static_cast<int>(syscall(SYS_munlock, memory, bytes));
}

}  // namespace mpiactor::kernel

#endif  // MPIACTOR_ACTOR_SHM_KERNEL_H_
