#include "actor/container/send_buffers.h"

#include <algorithm>
#include <stdexcept>

#include "actor/shm/copy.h"

namespace mpiactor {

SendBuffers::SendBuffers(std::byte* memory, std::uint64_t stride, int me,
                         competition::RequestQueue& queue)
    : memory_(memory),
      stride_(stride),
      buffer_bytes_(std::min(stride - kSharedBlockBytes, kMostBufferBytes) / shm::kCacheLine *
                    shm::kCacheLine),
      me_(me),
      queue_(queue) {}

std::uint64_t SendBuffers::take(std::uint64_t sequence, std::uint64_t bytes) {
  if (bytes > buffer_bytes_) throw std::logic_error("more memory wanted than a member has");
  bytes = shm::round_to_lines(bytes);
  for (;;) {
    // Whoever reads here leaves its request afterwards.
    const std::uint64_t left = taken_.empty() ? 0 : queue_.left_by_all();
    std::erase_if(taken_, [=](const Range& range) { return range.sequence < left; });
    // First fit from the bottom: balanced programs reuse the same warm memory. What is written past
    // the caches is not warm; the reader gets it sooner where it has not just had it.
    for (const std::uint64_t bottom : {shm::copies_past_caches() ? end_of_last_ : 0, 0ul}) {
      std::uint64_t begin = bottom;
      auto place = taken_.begin();
      for (; place != taken_.end() && begin + bytes > place->begin; ++place) {
        begin = std::max(begin, place->end);
      }
      if (begin + bytes > buffer_bytes_) continue;
      taken_.insert(place, {begin, begin + bytes, sequence});
      end_of_last_ = begin + bytes;
      return begin;
    }
    queue_.wait_one_more_left(left);
  }
}

}  // namespace mpiactor
