#include "actor/shm/copy.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "actor/shm/wait.h"

namespace mpiactor::shm {
namespace {

// Ordinary stores slower than this wait for another core's cache, or for a memory that is as slow.
constexpr std::size_t kCrawlingGbps = 5;
// Ordinary stores quicker than this leave the bytes in a cache that the reader shares.
constexpr std::size_t kSharedCacheGbps = 6;
// What looking at the clock and waiting for the stores takes by itself.
constexpr std::uint64_t kClockNs = 60;
// Most of so many copies must say the same: one may be preempted, another one may write what no
// reader has had.
constexpr int kTimesToDecide = 8;
constexpr int kMostTimes = 5;
constexpr int kTimesToTryAgain = 32;

}  // namespace

#if defined(__SSE2__)
namespace {

constexpr std::size_t kVector = sizeof(__m128i);
constexpr std::size_t kLine = 4 * kVector;

// Whole lines, each by four of `store(target, vector)`; how many bytes that were.
template <typename Store>
std::size_t copy_lines(std::byte* to, const std::byte* from, std::size_t bytes, Store store) {
  std::size_t at = 0;
  for (; at + kLine <= bytes; at += kLine) {
    const auto load = [&](std::size_t i) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + i * kVector));
    };
    const __m128i a = load(0);
    const __m128i b = load(1);
    const __m128i c = load(2);
    const __m128i d = load(3);
    store(reinterpret_cast<__m128i*>(to + at), a);
    store(reinterpret_cast<__m128i*>(to + at + kVector), b);
    store(reinterpret_cast<__m128i*>(to + at + 2 * kVector), c);
    store(reinterpret_cast<__m128i*>(to + at + 3 * kVector), d);
  }
  return at;
}

// Whether the C library's memcpy may crawl.
bool lies_just_above(const std::byte* to, const std::byte* from) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::uintptr_t kMost = 63;  // glibc's own distance where Intel's processors crawl
  const std::uintptr_t distance =
      (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % kPage;
  return distance - 1 < kMost;
}

}  // namespace

void copy_bytes(void* target, const void* source, std::size_t bytes) {
  // What is shorter or longer is not left to the processor.
  constexpr std::size_t kShortest = 2 << 10;
  constexpr std::size_t kLongest = 1 << 20;
  auto* const to = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const std::byte*>(source);
  std::size_t at = 0;
  if (bytes >= kShortest && bytes <= kLongest && lies_just_above(to, from))
    at = copy_lines(to, from, bytes, [](__m128i* line, __m128i v) { _mm_storeu_si128(line, v); });
  std::memcpy(to + at, from + at, bytes - at);
}

void copy_past_caches(void* target, const void* source, std::size_t bytes) {
  auto* const to = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const std::byte*>(source);
  // Whole lines alone: of others, which may hold words that are waited for, the rest would have to
  // be fetched from memory again.
  const std::size_t head =
      std::min(bytes, (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine);
  std::memcpy(to, from, head);
  const std::size_t at =
      head + copy_lines(to + head, from + head, bytes - head,
                        [](__m128i* line, __m128i v) { _mm_stream_si128(line, v); });
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();  // a release store does not order these
}

namespace {

thread_local StoreChoice choice;

}  // namespace

bool copies_past_caches() { return choice.next(false) == StoreChoice::Kind::kPastCaches; }

void copy_to_shared(void* to, const void* from, std::size_t bytes) {
  if (bytes < StoreChoice::kShortestBytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  const bool is_timed = choice.wants_time(bytes);
  const std::uint64_t start_ns = is_timed ? monotonic_ns() : 0;
  if (choice.next(is_timed) == StoreChoice::Kind::kPastCaches) {
    copy_past_caches(to, from, bytes);
  } else {
    copy_bytes(to, from, bytes);
    if (is_timed) _mm_mfence();  // until the lines are this core's
  }
  if (is_timed) choice.took(bytes, monotonic_ns() - start_ns);
}
#else
void copy_bytes(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void copy_past_caches(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

bool copies_past_caches() { return false; }

void copy_to_shared(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

bool StoreChoice::wants_time(std::size_t bytes) {
  constexpr std::size_t kBytesBetweenTimes = 32 << 10;
  bytes_since_time_ += bytes;
  if (bytes_since_time_ < kBytesBetweenTimes) return false;
  bytes_since_time_ = 0;
  return true;
}

void StoreChoice::took(std::size_t bytes, std::uint64_t ns) {
  const auto within = [=](std::size_t bytes_per_ns) {
    return ns <= kClockNs + bytes / bytes_per_ns;
  };
  if (kind_ == Kind::kCached) {
    crawling_ += !within(kCrawlingGbps);
    if (++times_ < kTimesToDecide) return;
    if (crawling_ >= kMostTimes) kind_ = Kind::kPastCaches;
    times_ = 0;
    crawling_ = 0;
  } else if (trying_) {
    if (within(kSharedCacheGbps)) kind_ = Kind::kCached;
    trying_ = false;
    times_ = 0;
  } else if (++times_ == kTimesToTryAgain) {
    trying_ = true;
  }
}

}  // namespace mpiactor::shm
