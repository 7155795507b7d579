#include "actor/background/stack.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

namespace mpiactor::background {
namespace {

// The MPI library and its network layer run on it, too.
constexpr std::size_t kStackBytes = 512 << 10;

std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

boost::context::stack_context GuardedStack::allocate() {
  const std::size_t bytes = kStackBytes + guard_bytes();
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
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
