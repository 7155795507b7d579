// Size that keeps two flags with different writers from disturbing each other.
#ifndef MPIACTOR_ACTOR_SHM_CACHE_LINE_H_
#define MPIACTOR_ACTOR_SHM_CACHE_LINE_H_

#include <cstddef>
#include <cstdint>

namespace mpiactor::shm {

// x86 prefetches lines in pairs of 64 bytes; A64FX has lines of 256 bytes.
#if defined(__aarch64__)
inline constexpr std::size_t kCacheLine = 256;
#else
inline constexpr std::size_t kCacheLine = 128;
#endif

// The next whole cache line.
constexpr std::uint64_t round_to_lines(std::uint64_t bytes) {
  return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
}

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_CACHE_LINE_H_
