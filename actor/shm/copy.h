// Copies of bytes in memory, and those into memory that another core reads next.
#ifndef MPIACTOR_ACTOR_SHM_COPY_H_
#define MPIACTOR_ACTOR_SHM_COPY_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace mpiactor::shm {

// As memcpy. The C library's leaves copies of some KiB to the processor (rep movsb). AMD's Zen 3
// does them at 3 GB/s in place of 80 where the target lies 1 to 31 bytes above the source, modulo
// 4 KiB: where the source is shared memory, which begins with a page, and the target is what
// malloc() gives for long arrays, 16 bytes behind the beginning of one. Here it is the quicker.
void copy_bytes(void* to, const void* from, std::size_t bytes);

// As memcpy. Where the reader's core does not share a cache with this one, ordinary stores crawl:
// every line must first be taken away from the reader that has it from the last time. Stores that
// go past the caches do not wait for that; but the reader then fetches from memory, so between
// cores with a common cache they are the slower ones. Which it is, is found out by timing copies.
// Ends with a fence where one is needed: publish with a release store afterwards, as always.
void copy_to_shared(void* to, const void* from, std::size_t bytes);

// Whether this thread's next ones, as long as the last one that was timed, go past the caches.
bool copies_past_caches();

// As memcpy, with stores that go past the caches where the processor has such; ends with their
// fence.
void copy_past_caches(void* to, const void* from, std::size_t bytes);

// The rule by which the kind of store is chosen: which one's copies of about that length take the
// writer less time, with something in favour of ordinary ones, whose reader is quicker. Both are
// timed again and again, since the system may move processes.
class StoreChoice {
 public:
  enum class Kind { kCached, kPastCaches };

  // Whether the next copy, of `bytes`, is to be timed: short ones are not worth the clock each.
  bool wants_time(std::size_t bytes);
  // What that copy uses: at least kShortestBytes.
  Kind next(std::size_t bytes, bool is_timed) const;
  // How long it took until all lines were written.
  void took(std::size_t bytes, Kind kind, std::uint64_t ns);
  // Of copies as long as the last one that was timed.
  Kind last() const { return lengths_[last_].kind(); }

  static constexpr std::size_t kShortestBytes = 1 << 10;  // what is shorter waits for few lines

 private:
  // From a power of two on, up to the next one; the last one has no end.
  static constexpr std::size_t kLengths = 12;
  static std::size_t length_of(std::size_t bytes);

  struct Length {
    std::uint64_t cached_ns = 0;  // usual times; 0: unknown
    std::uint64_t past_caches_ns = 0;
    unsigned times = 0;

    Kind kind() const;
  };

  std::array<Length, kLengths> lengths_{};
  std::size_t last_ = 0;
  std::size_t bytes_since_time_ = 0;
};

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_COPY_H_
