// Allreduce. Short vectors: every member lays its vector down, and on a single node each combines
// them all for itself. Long ones go in blocks: each member combines a slice of the block, and while
// one block is between the nodes, the members work on the next.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "actor/collectives/arrival_reductions.h"
#include "actor/collectives/contributions.h"
#include "actor/collectives/hybrid.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/collectives/one_round.h"
#include "actor/collectives/running_result.h"
#include "actor/collectives/shares_allreduce.h"
#include "actor/shm/copy.h"

namespace mpiactor {
namespace {

// Up to so many bytes a vector, reading all vectors costs less than meeting once more.
constexpr std::uint64_t kShortBytes = 2 << 10;
// Blocks stay in the caches of the cores that share them.
constexpr std::uint64_t kBlockBytes = 256 << 10;

NodeExchange::Setup between_nodes(const Choice& choice, const Homes& homes, std::byte* buffer,
                                  std::uint64_t bytes, const Reduction& reduction) {
  return {.plan = &choice.plan,
          .leaders = &homes,
          .buffer = buffer,
          .bytes = bytes,
          .segment_bytes = choice.selection.segment_bytes,
          .reduction = &reduction};
}

void short_allreduce(Container& container, const Vector& vector, const Reduction& reduction) {
  const std::uint64_t bytes = vector.elements * reduction.element_bytes();
  const std::uint64_t stride = part_stride(bytes);
  const int members = container.members();
  const auto all = static_cast<std::uint64_t>(members);
  const bool several_nodes = container.nodes().nodes() > 1;
  Meeting meeting(container, (all + several_nodes) * stride);
  std::byte* const memory = meeting.memory();
  const Contributions contributions{.memory = memory, .stride = stride, .members = members};
  std::memcpy(memory + static_cast<std::uint64_t>(container.member()) * stride, vector.send, bytes);
  if (!several_nodes) {
    meeting.end_phase(1);
    meeting.wait_phase(1);
    contributions.combine(reduction, 0, vector.elements, vector.recv);
    meeting.leave();
    return;
  }
  // The last to arrive completes the node's vector; the home, which has arrived too, takes it on.
  std::byte* const result = memory + all * stride;
  const std::uint64_t complete = all + 1;
  if (meeting.arrive(complete) == all) {
    contributions.combine(reduction, 0, vector.elements, result);
    meeting.arrive(complete);
  }
  if (is_home(container)) {
    const auto choice =
        container.choose(inter::Collective::kAllreduce, 0, bytes, reduction.element_bytes());
    const Homes homes(container.nodes());
    meeting.wait_arrived(complete);
    NodeExchange(container, meeting.sequence(),
                 between_nodes(*choice, homes, result, bytes, reduction))
        .finish();
    meeting.publish_result();
  } else {
    meeting.wait_result();
  }
  reduction.copy(result, vector.recv, vector.elements);
  meeting.leave();
}

// One block of a long vector.
class Block {
 public:
  Block(Container& container, const Vector& vector, const Reduction& reduction)
      : container_(container),
        vector_(vector),
        reduction_(reduction),
        members_(container.members()),
        bytes_(vector.elements * reduction.element_bytes()),
        stride_(part_stride(bytes_)),
        meeting_(container, memory_bytes(container, bytes_)) {}

  // Members' vectors and the result. Nodes differ in members, blocks do not.
  static std::uint64_t memory_bytes(const Container& container, std::uint64_t bytes) {
    return static_cast<std::uint64_t>(container.members() + 1) * part_stride(bytes);
  }

  // The node's part: lays down what others combine, combines this member's slice. `meanwhile` is
  // done while waiting.
  template <typename Work>
  void reduce(Work meanwhile);
  void start_exchange(const Homes& homes);
  bool progress() { return exchange_ && exchange_->progress(); }
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

  Container& container_;
  Vector vector_;
  const Reduction& reduction_;
  int members_;
  std::uint64_t bytes_;
  std::uint64_t stride_;
  Meeting meeting_;
  std::shared_ptr<const Choice> choice_;
  std::optional<NodeExchange> exchange_;
};

template <typename Work>
void Block::reduce(Work meanwhile) {
  const int me = container_.member();
  const std::uint64_t element = reduction_.element_bytes();
  const std::uint64_t begin = slice_begin(me);
  const std::uint64_t end = slice_begin(me + 1);
  shm::copy_to_shared(part(me), vector_.send, begin * element);
  shm::copy_to_shared(part(me) + end * element, vector_.send + end * element,
                      bytes_ - end * element);
  meeting_.end_phase(1);
  meeting_.wait_phase(1, meanwhile);
  const Contributions contributions{
      .memory = part(0), .stride = stride_, .members = members_, .me = me, .own = vector_.send};
  contributions.combine_for_others(reduction_, begin, end - begin, result() + begin * element);
  meeting_.end_phase(2);
}

void Block::start_exchange(const Homes& homes) {
  meeting_.wait_phase(2);
  choice_ = container_.choose(inter::Collective::kAllreduce, 0, bytes_, reduction_.element_bytes());
  exchange_.emplace(container_, meeting_.sequence(),
                    between_nodes(*choice_, homes, result(), bytes_, reduction_));
}

void Block::finish() {
  if (container_.nodes().nodes() == 1) {
    meeting_.wait_phase(2);
  } else if (exchange_) {
    exchange_->finish();
    meeting_.publish_result();
  } else {
    meeting_.wait_result();
  }
  reduction_.copy(result(), vector_.recv, vector_.elements);
  meeting_.leave();
}

void long_allreduce(Container& container, const Vector& vector, const Reduction& reduction,
                    std::uint64_t block_elements) {
  const std::uint64_t element = reduction.element_bytes();
  const bool several_nodes = container.nodes().nodes() > 1;
  const Homes homes(container.nodes());
  std::optional<Block> blocks[2];
  std::optional<Block>* before = nullptr;
  for (std::uint64_t first = 0, k = 0; first < vector.elements; first += block_elements, ++k) {
    std::optional<Block>& block = blocks[k % 2];
    block.emplace(container,
                  Vector{vector.send + first * element, vector.recv + first * element,
                         std::min(block_elements, vector.elements - first)},
                  reduction);
    block->reduce([&] { return before && (*before)->progress(); });
    if (before) (*before)->finish();
    if (several_nodes && is_home(container)) block->start_exchange(homes);
    before = &block;
  }
  (*before)->finish();
}

}  // namespace

void hybrid_allreduce(Container& container, MPI_Comm comm, const Vector& vector,
                      const Reduction& reduction) {
  const std::uint64_t bytes = vector.elements * reduction.element_bytes();
  const auto parts = static_cast<std::uint64_t>(container.nodes().most_members() + 1);
  container.grow(comm, one_round_bytes(container, bytes));
  if (goes_in_one_round(container, bytes)) {
    one_round_allreduce(container, vector, reduction);
    return;
  }
  if (combines_by_arrival(Operation::kAllreduce, reduction, bytes, container)) {
    arrival_allreduce(container, comm, vector, reduction);
    return;
  }
  if (bytes <= kShortBytes && parts * part_stride(bytes) <= container.work_bytes()) {
    short_allreduce(container, vector, reduction);
    return;
  }
  if (shares_allreduce(container, comm, vector, reduction)) return;
  container.grow(comm, parts * part_stride(std::min(bytes, kBlockBytes) + 64));
  // Slices begin at whole cache lines where elements allow it.
  const std::uint64_t room = container.work_bytes() / parts - 64;
  const std::uint64_t block = std::min(room, kBlockBytes) / reduction.element_bytes();
  long_allreduce(container, vector, reduction, std::max<std::uint64_t>(block, 1));
}

}  // namespace mpiactor
