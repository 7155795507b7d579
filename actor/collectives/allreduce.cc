// Allreduce, and its way on a single node. Short vectors: every member lays its vector down, and
// each combines them all for itself. Long ones go in blocks, of which each member combines a slice.
#include <algorithm>
#include <optional>

#include "actor/collectives/allreduce_between.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/operation.h"
#include "actor/node/contributions.h"
#include "actor/node/meeting.h"
#include "actor/shm/cache_line.h"
#include "actor/shm/copy.h"

namespace mpiactor {
namespace {

// Up to so many bytes a vector, reading all vectors costs less than meeting once more.
constexpr std::uint64_t kShortBytes = 2 << 10;
// Blocks stay in the caches of the cores that share them.
constexpr std::uint64_t kBlockBytes = 256 << 10;

void short_allreduce(Container& container, const Vector& vector, const Reduction& reduction) {
  const std::uint64_t bytes = vector.elements * reduction.element_bytes();
  Meeting meeting(container, Meeting::Parts{bytes});
  const Contributions contributions{
      .memory = meeting.memory(), .stride = meeting.stride(), .members = container.members()};
  shm::copy_bytes(meeting.part(container.member()), vector.send, bytes);
  meeting.end_phase(1);
  meeting.wait_phase(1);
  contributions.combine(reduction, 0, vector.elements, vector.recv);
  meeting.leave();
}

// One block of a long vector.
class Block {
 public:
  Block(Container& container, const Vector& vector, const Reduction& reduction)
      : me_(container.member()),
        vector_(vector),
        reduction_(reduction),
        members_(container.members()),
        bytes_(vector.elements * reduction.element_bytes()),
        stride_(shm::round_to_lines(bytes_)),
        meeting_(container, static_cast<std::uint64_t>(members_ + 1) * stride_) {}

  // Lays down what others combine, combines this member's slice.
  void reduce();
  // Waits for the result and copies it out.
  void finish();

 private:
  std::uint64_t slice_begin(int member) const {
    return vector_.elements * static_cast<std::uint64_t>(member) /
           static_cast<std::uint64_t>(members_);
  }
  std::byte* part(int member) {
    return meeting_.memory() + static_cast<std::uint64_t>(member) * stride_;
  }
  std::byte* result() { return part(members_); }

  int me_;
  Vector vector_;
  const Reduction& reduction_;
  int members_;
  std::uint64_t bytes_;
  std::uint64_t stride_;
  Meeting meeting_;
};

void Block::reduce() {
  const std::uint64_t element = reduction_.element_bytes();
  const std::uint64_t begin = slice_begin(me_);
  const std::uint64_t end = slice_begin(me_ + 1);
  shm::copy_to_shared(part(me_), vector_.send, begin * element);
  shm::copy_to_shared(part(me_) + end * element, vector_.send + end * element,
                      bytes_ - end * element);
  meeting_.end_phase(1);
  meeting_.wait_phase(1);
  const Contributions contributions{
      .memory = part(0), .stride = stride_, .members = members_, .me = me_, .own = vector_.send};
  contributions.combine_for_others(reduction_, begin, end - begin, result() + begin * element);
  meeting_.end_phase(2);
}

void Block::finish() {
  meeting_.wait_phase(2);
  reduction_.copy(result(), vector_.recv, vector_.elements);
  meeting_.leave();
}

void long_allreduce(Container& container, const Vector& vector, const Reduction& reduction,
                    std::uint64_t block_elements) {
  const std::uint64_t element = reduction.element_bytes();
  std::optional<Block> blocks[2];
  std::optional<Block>* before = nullptr;
  for (std::uint64_t first = 0, k = 0; first < vector.elements; first += block_elements, ++k) {
    std::optional<Block>& block = blocks[k % 2];
    block.emplace(container,
                  Vector{vector.send + first * element, vector.recv + first * element,
                         std::min(block_elements, vector.elements - first)},
                  reduction);
    block->reduce();
    if (before) (*before)->finish();
    before = &block;
  }
  (*before)->finish();
}

void one_node_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                        const Reduction& reduction) {
  const std::uint64_t bytes = vector.elements * reduction.element_bytes();
  const auto members = static_cast<std::uint64_t>(container.members());
  if (bytes <= kShortBytes && members * shm::round_to_lines(bytes) <= container.work_bytes()) {
    short_allreduce(container, vector, reduction);
    return;
  }
  const std::uint64_t parts = members + 1;
  const std::uint64_t memory =
      blocks_room(container, comm, parts_bytes(parts, bytes), parts_bytes(parts, kBlockBytes));
  const std::uint64_t room = part_room(memory, parts);
  const std::uint64_t block = std::min(room, kBlockBytes) / reduction.element_bytes();
  long_allreduce(container, vector, reduction, std::max<std::uint64_t>(block, 1));
}

}  // namespace

void hybrid_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                      const Reduction& reduction) {
  const std::uint64_t bytes = vector.elements * reduction.element_bytes();
  const CallFacts call = CallFacts::allreduce(bytes, reduction.order_matters());
  inter::Way way = way_of(call, container);
  if (way == inter::Way::kDirect) {
    container.grow(comm, one_round_bytes(container, bytes));
    if (fits_one_round(container, bytes)) {
      one_round_allreduce(container, vector, reduction);
      return;
    }
    way = way_without_direct(call, container);
  }
  if (combines_by_arrival(call, container)) {
    allreduce_by_arrival(container, comm, vector, reduction);
  } else if (container.nodes().nodes() == 1) {
    one_node_allreduce(container, comm, vector, reduction);
  } else {
    allreduce_in_blocks(container, comm, way, vector, reduction);
  }
}

}  // namespace mpiactor
