#include "actor/shm/copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "actor/shm/wait.h"

namespace mpiactor::shm {
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

bool copies_past_caches() { return choice.last() == StoreChoice::Kind::kPastCaches; }

void copy_to_shared(void* to, const void* from, std::size_t bytes) {
  if (bytes < StoreChoice::kShortestBytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  const bool is_timed = choice.wants_time(bytes);
  const std::uint64_t start_ns = is_timed ? monotonic_ns() : 0;
  const StoreChoice::Kind kind = choice.next(bytes, is_timed);
  if (kind == StoreChoice::Kind::kPastCaches) {
    copy_past_caches(to, from, bytes);
  } else {
    copy_bytes(to, from, bytes);
    if (is_timed) _mm_mfence();  // until the lines are this core's
  }
  if (is_timed) choice.took(bytes, kind, monotonic_ns() - start_ns);
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

std::size_t StoreChoice::length_of(std::size_t bytes) {
  return std::min<std::size_t>(std::bit_width(bytes / kShortestBytes), kLengths) - 1;
}

// bench/copies on cores that share a cache, and that do not (an AMD EPYC of 2026): where ordinary
// stores took the writer 0.5 to 1.3 times the others' time, writer and reader together took 0.55
// to 1.0 of theirs; where they took 1.5 to 3 times as long, 1.1 to 2.1.
StoreChoice::Kind StoreChoice::Length::kind() const {
  return past_caches_ns != 0 && cached_ns * 10 > past_caches_ns * 13 ? Kind::kPastCaches
                                                                     : Kind::kCached;
}

StoreChoice::Kind StoreChoice::next(std::size_t bytes, bool is_timed) const {
  constexpr unsigned kFirstTimes = 8;  // half of them of each kind
  constexpr unsigned kTimesToTry = 16;
  const Length& length = lengths_[length_of(bytes)];
  const Kind usual = length.kind();
  if (!is_timed) return usual;
  if (length.times < kFirstTimes) return length.times % 2 == 0 ? Kind::kCached : Kind::kPastCaches;
  if (length.times % kTimesToTry != 0) return usual;
  return usual == Kind::kCached ? Kind::kPastCaches : Kind::kCached;
}

void StoreChoice::took(std::size_t bytes, Kind kind, std::uint64_t ns) {
  last_ = length_of(bytes);
  Length& length = lengths_[last_];
  ++length.times;
  std::uint64_t& usual = kind == Kind::kCached ? length.cached_ns : length.past_caches_ns;
  // As for the shortest of this length.
  ns = std::max<std::uint64_t>(ns * (kShortestBytes << last_) / bytes, 1);
  // A copy during which the thread was preempted, or met its pages for the first time, counts
  // little.
  if (usual == 0) {
    usual = ns;
  } else if (ns < usual) {
    usual = (ns + std::min(usual, 2 * ns)) / 2;
  } else {
    usual += std::min(ns - usual, usual / 8 + 1);
  }
}

}  // namespace mpiactor::shm
