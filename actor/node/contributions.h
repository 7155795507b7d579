// The vectors that the members of a node contribute to a reduction.
#ifndef MPIACTOR_ACTOR_NODE_CONTRIBUTIONS_H_
#define MPIACTOR_ACTOR_NODE_CONTRIBUTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "actor/reduction/reduction.h"
#include "actor/shm/copy.h"
#include "inter/kept_bytes.h"

namespace mpiactor {

// Lie one after the other in common memory; this member's own may lie elsewhere.
struct Contributions {
  const std::byte* memory = nullptr;  // of member 0
  std::uint64_t stride = 0;           // bytes from member to member
  int members = 0;
  int me = -1;  // whose vector is at `own`; -1: nobody's
  const std::byte* own = nullptr;

  const std::byte* of(int member) const {
    return member == me ? own : memory + static_cast<std::uint64_t>(member) * stride;
  }

  // Combines elements [first, first + elements) in the order of the members, whoever calls it, so
  // the result is always the same bits. `out` may be the same elements of the last member or of
  // the first one.
  void combine(const Reduction& reduction, std::uint64_t first, std::uint64_t elements,
               std::byte* out) const {
    const std::uint64_t offset = first * reduction.element_bytes();
    if (members == 1) {
      if (out != of(0) + offset) reduction.copy(of(0) + offset, out, elements);
      return;
    }
    reduction.combine(of(0) + offset, of(1) + offset, out, elements);
    for (int member = 2; member < members; ++member) {
      reduction.combine(out, of(member) + offset, out, elements);
    }
  }

  // The same to memory that other cores read next; `out` may be the same elements of any of the
  // vectors.
  void combine_for_others(const Reduction& reduction, std::uint64_t first, std::uint64_t elements,
                          std::byte* out) const {
    constexpr std::uint64_t kChunkBytes = 16 << 10;  // stays in the first cache
    const std::uint64_t element = reduction.element_bytes();
    inter::KeptBytes chunk(std::min(kChunkBytes, elements * element));
    const std::uint64_t most = kChunkBytes / element;
    for (std::uint64_t done = 0; done < elements; done += most) {
      const std::uint64_t count = std::min(most, elements - done);
      combine(reduction, first + done, count, chunk.data());
      shm::copy_to_shared(out + done * element, chunk.data(), count * element);
    }
  }
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_CONTRIBUTIONS_H_
