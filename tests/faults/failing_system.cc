// Preloaded behind the runtime: lets one of the calls by which it gets memory fail, and the same
// call of everybody else, the MPI library included, go through.
//
// MPIACTOR_TEST_FAIL=create|reserve|reserve-large|attach|read|read-long|stack|clock: making the
// object, reserving its bytes, getting memory for 1 MiB and more of what is reserved in part,
// opening another process's object, reading another process's memory; the same from the second read
// of 64 KiB and more on, which is cut short; a stack for a call in the background; the clock, which
// stands still for everybody, as tools make it that give a program another date.
// MPIACTOR_TEST_FAIL_RANKS=1,3: on which ranks of the job.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>

namespace {

constexpr off_t kLarge = 1 << 20;

bool called_by_runtime(const void* return_address) {
  Dl_info caller;
  if (dladdr(return_address, &caller) == 0 || caller.dli_fname == nullptr) return false;
  const std::string_view path = caller.dli_fname;
  return path.ends_with("/libmpiactor.so") || path.ends_with("/libmpiactor_ompi.so");
}

bool on_this_rank() {
  const char* ranks = std::getenv("MPIACTOR_TEST_FAIL_RANKS");
  const char* own = std::getenv("PMI_RANK");
  if (own == nullptr) own = std::getenv("OMPI_COMM_WORLD_RANK");
  if (ranks == nullptr || own == nullptr) return false;
  std::istringstream list(ranks);
  for (std::string rank; std::getline(list, rank, ',');) {
    if (rank == own) return true;
  }
  return false;
}

bool must_fail(std::string_view what, const void* return_address) {
  const char* wanted = std::getenv("MPIACTOR_TEST_FAIL");
  return wanted != nullptr && wanted == what && on_this_rank() && called_by_runtime(return_address);
}

bool is_object_of_a_process(const char* path) {
  const std::string own = "/proc/" + std::to_string(getpid()) + "/";
  return std::strncmp(path, "/proc/", 6) == 0 && std::strstr(path, "/fd/") != nullptr &&
         std::strncmp(path, own.c_str(), own.size()) != 0;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int madvise(void* address, size_t bytes, int advice) {
  if (bytes >= kLarge && must_fail("reserve-large", __builtin_return_address(0))) {
    errno = EFAULT;
    return -1;
  }
  return real<int(void*, size_t, int)>("madvise")(address, bytes, advice);
}

// Closes the page below a stack. (UCX takes mmap() over, whoever has it.)
int mprotect(void* address, size_t bytes, int protection) {
  if (protection == PROT_NONE && must_fail("stack", __builtin_return_address(0))) {
    errno = ENOMEM;
    return -1;
  }
  return real<int(void*, size_t, int)>("mprotect")(address, bytes, protection);
}

int clock_gettime(clockid_t clock, timespec* now) {
  static const bool stands = [] {
    const char* wanted = std::getenv("MPIACTOR_TEST_FAIL");
    return wanted != nullptr && std::strcmp(wanted, "clock") == 0 && on_this_rank();
  }();
  if (!stands) return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  *now = {.tv_sec = 1'000'000'000, .tv_nsec = 0};
  return 0;
}

ssize_t process_vm_readv(pid_t pid, const iovec* local, unsigned long locals, const iovec* remote,
                         unsigned long remotes, unsigned long flags) {
  constexpr size_t kLong = 64 << 10;
  const void* const caller = __builtin_return_address(0);
  if (must_fail("read", caller)) {
    errno = EPERM;
    return -1;
  }
  const auto read =
      real<ssize_t(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long)>(
          "process_vm_readv");
  static int long_reads = 0;
  if (local->iov_len < kLong || !must_fail("read-long", caller) || ++long_reads < 2) {
    return read(pid, local, locals, remote, remotes, flags);
  }
  if (long_reads % 2 == 0) {
    errno = EPERM;
    return -1;
  }
  const iovec half{local->iov_base, local->iov_len / 2};
  return read(pid, &half, 1, remote, remotes, flags);
}

int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  const void* const caller = __builtin_return_address(0);
  if (must_fail("reserve", caller)) return ENOSPC;
  return real<int(int, off_t, off_t)>("posix_fallocate")(descriptor, offset, bytes);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_TMPFILE) == O_TMPFILE && must_fail("create", __builtin_return_address(0))) {
    errno = EACCES;
    return -1;
  }
  if (is_object_of_a_process(path) && must_fail("attach", __builtin_return_address(0))) {
    errno = EACCES;
    return -1;
  }
  return real<int(const char*, int, ...)>("open")(path, flags, mode);
}
}
