#include "actor/background/stack.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>

#include "actor/shm/kernel.h"
#include "actor/shm/unlocked_map.h"

namespace mpiactor::background {
namespace {

constexpr std::size_t kLeastBytes = 512 << 10;
constexpr std::size_t kUsualBytes = 8 << 20;
constexpr std::size_t kMostBytes = 64 << 20;

std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// As the process's own stack. The MPI library, and what it calls, runs on the caller's
// (on_callers_stack()).
std::size_t wanted_bytes() {
  rlimit limit;
  if (kernel::getrlimit(RLIMIT_STACK, limit) != 0 || limit.rlim_cur > kMostBytes)
    return kUsualBytes;
  return std::max(kLeastBytes, limit.rlim_cur / guard_bytes() * guard_bytes());
}

void* map(std::size_t bytes) {
  return shm::map_unlocked(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1);
}

}  // namespace

boost::context::stack_context GuardedStack::allocate() {
  std::size_t bytes = wanted_bytes() + guard_bytes();
  void* memory = map(bytes);
  if (memory == MAP_FAILED) {
    bytes = kLeastBytes + guard_bytes();
    memory = map(bytes);
  }
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, bytes, MADV_NOHUGEPAGE);  // little of it is used
  if (mprotect(memory, guard_bytes(), PROT_NONE) != 0) {
    munmap(memory, bytes);
    throw std::bad_alloc();
  }
  boost::context::stack_context stack;
  stack.size = bytes;
  stack.sp = static_cast<std::byte*>(memory) + bytes;  // it grows downwards
  return stack;
}

void GuardedStack::deallocate(boost::context::stack_context& stack) noexcept {
  munmap(static_cast<std::byte*>(stack.sp) - stack.size, stack.size);
}

}  // namespace mpiactor::background
