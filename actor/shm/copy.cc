#include "actor/shm/copy.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "actor/shm/wait.h"

namespace mpiactor::shm {
namespace {

// Ordinary stores slower than this wait for another core's cache; a copy from memory that is in no
// cache is still quicker.
constexpr double kCrawlingGbps = 4;
// Ordinary stores quicker than this leave the bytes in a cache that the reader shares.
constexpr double kSharedCacheGbps = 8;
// Most of so many copies must say the same: one may be preempted, another one may write what no
// reader has had.
constexpr int kCopiesToDecide = 8;
constexpr int kMostCopies = 5;
constexpr int kCopiesToTryAgain = 64;

}  // namespace

#if defined(__SSE2__)
void copy_past_caches(void* target, const void* source, std::size_t bytes) {
  auto* const to = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const std::byte*>(source);
  constexpr std::size_t kStore = sizeof(__m128i);
  const std::size_t head =
      std::min(bytes, (kStore - reinterpret_cast<std::uintptr_t>(to) % kStore) % kStore);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + 4 * kStore <= bytes; at += 4 * kStore) {
    const auto load = [&](std::size_t i) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + i * kStore));
    };
    const auto store = [&](std::size_t i, __m128i value) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + i * kStore), value);
    };
    const __m128i a = load(0);
    const __m128i b = load(1);
    const __m128i c = load(2);
    const __m128i d = load(3);
    store(0, a);
    store(1, b);
    store(2, c);
    store(3, d);
  }
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();  // a release store does not order these
}
#else
void copy_past_caches(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
#endif

void StoreChoice::took(std::size_t bytes, std::uint64_t ns) {
  const double gbps =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(ns, 1));
  if (kind_ == Kind::kCached) {
    crawling_ += gbps < kCrawlingGbps;
    if (++copies_ < kCopiesToDecide) return;
    if (crawling_ >= kMostCopies) kind_ = Kind::kPastCaches;
    copies_ = 0;
    crawling_ = 0;
  } else if (trying_) {
    if (gbps > kSharedCacheGbps) kind_ = Kind::kCached;
    trying_ = false;
    copies_ = 0;
  } else if (++copies_ == kCopiesToTryAgain) {
    trying_ = true;
  }
}

void copy_to_shared(void* to, const void* from, std::size_t bytes) {
  static thread_local StoreChoice choice;
  if (bytes < StoreChoice::kShortestBytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::uint64_t start_ns = monotonic_ns();
  if (choice.next() == StoreChoice::Kind::kCached) {
    std::memcpy(to, from, bytes);
  } else {
    copy_past_caches(to, from, bytes);
  }
  choice.took(bytes, monotonic_ns() - start_ns);
}

}  // namespace mpiactor::shm
