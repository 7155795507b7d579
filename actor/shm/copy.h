// Copies of bytes in memory, and those into memory that another core reads next.
#ifndef MPIACTOR_ACTOR_SHM_COPY_H_
#define MPIACTOR_ACTOR_SHM_COPY_H_

#include <cstddef>
#include <cstdint>

namespace mpiactor::shm {

// As memcpy. The C library's leaves copies of some KiB to the processor (rep movsb). AMD's Zen 3
// does them at 3 GB/s in place of 80 where the target lies 1 to 31 bytes above the source, modulo
// 4 KiB: where the source is shared memory, which begins with a page, and the target is what
// malloc() gives for long arrays, 16 bytes behind the beginning of one. Here it is the quicker.
void copy_bytes(void* to, const void* from, std::size_t bytes);

// As memcpy. Where the reader's core does not share a cache with this one, ordinary stores crawl:
// every line must first be taken away from the reader that has it from the last time (1.7 GB/s were
// seen between core complexes of one processor, against 25 inside of one). Stores that go past the
// caches do not wait for that; but the reader then fetches from memory, so between cores with a
// common cache they are the slower ones. Which it is, is found out by timing copies, now and then
// again, since the system may move processes. Ends with a fence where one is
// needed: publish with a release store afterwards, as always.
void copy_to_shared(void* to, const void* from, std::size_t bytes);

// Whether this thread's next ones of some length will go past the caches.
bool copies_past_caches();

// As memcpy, with stores that go past the caches where the processor has such; ends with their
// fence.
void copy_past_caches(void* to, const void* from, std::size_t bytes);

// The rule by which the kind of store is chosen, from the times of copies.
class StoreChoice {
 public:
  enum class Kind { kCached, kPastCaches };

  // What the next copy of at least kShortestBytes uses.
  Kind next(bool is_timed) const { return is_timed && trying_ ? Kind::kCached : kind_; }
  // Whether the next copy, of `bytes`, is to be timed: short ones are not worth the clock each.
  bool wants_time(std::size_t bytes);
  // How long it took until all lines were written.
  void took(std::size_t bytes, std::uint64_t ns);

  static constexpr std::size_t kShortestBytes = 1 << 10;  // what is shorter waits for few lines

 private:
  Kind kind_ = Kind::kCached;
  bool trying_ = false;  // the next copy that is timed tries ordinary stores
  std::size_t bytes_since_time_ = 0;
  int times_ = 0;     // since the last decision
  int crawling_ = 0;  // of them
};

}  // namespace mpiactor::shm

#endif  // MPIACTOR_ACTOR_SHM_COPY_H_
