#include "tests/actor/memory/counted_new.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};

// Before each block: how long it is. `before`: room for that, a multiple of the alignment.
void* take(std::size_t bytes, std::size_t before) {
  void* const block = std::aligned_alloc(before, (bytes + 2 * before - 1) / before * before);
  if (block == nullptr) throw std::bad_alloc();
  std::byte* const given = static_cast<std::byte*>(block) + before;
  *reinterpret_cast<std::size_t*>(given - sizeof(std::size_t)) = bytes;
  const std::int64_t now = live += static_cast<std::int64_t>(bytes);
  if (now > peak) peak = now;
  return given;
}

void give_back(void* given, std::size_t before) {
  if (given == nullptr) return;
  std::byte* const bytes = static_cast<std::byte*>(given);
  live -= static_cast<std::int64_t>(*reinterpret_cast<std::size_t*>(bytes - sizeof(std::size_t)));
  std::free(bytes - before);
}

constexpr std::size_t kBefore = 2 * sizeof(std::size_t);
std::size_t before(std::align_val_t alignment) {
  return std::max(static_cast<std::size_t>(alignment), kBefore);
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes, kBefore); }
void* operator new[](std::size_t bytes) { return take(bytes, kBefore); }
void* operator new(std::size_t bytes, std::align_val_t a) { return take(bytes, before(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return take(bytes, before(a)); }
void operator delete(void* block) noexcept { give_back(block, kBefore); }
void operator delete[](void* block) noexcept { give_back(block, kBefore); }
void operator delete(void* block, std::size_t) noexcept { give_back(block, kBefore); }
void operator delete[](void* block, std::size_t) noexcept { give_back(block, kBefore); }
void operator delete(void* block, std::align_val_t a) noexcept { give_back(block, before(a)); }
void operator delete[](void* block, std::align_val_t a) noexcept { give_back(block, before(a)); }
void operator delete(void* block, std::size_t, std::align_val_t a) noexcept {
  give_back(block, before(a));
}
void operator delete[](void* block, std::size_t, std::align_val_t a) noexcept {
  give_back(block, before(a));
}

namespace mpiactor::tests {

std::int64_t live_bytes() { return live; }
std::int64_t peak_bytes() { return peak; }
void begin_peak() { peak = live.load(); }

}  // namespace mpiactor::tests
