// Reduce. Members give their vectors to the node's and go on; on the root's node the root has what
// is made of them, on another node whoever completes the node's vector sends it to the root.
#include <algorithm>
#include <optional>

#include "actor/between/node_exchange.h"
#include "actor/between/root_exchange.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/operation.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/node/contributions.h"
#include "actor/node/meeting.h"
#include "actor/node/running_result.h"
#include "actor/shm/cache_line.h"
#include "actor/shm/copy.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

// The node's vector in the order of the members: they lay theirs down side by side, and the last
// one to come combines them all; on the root's node the root does.
class InOrder {
 public:
  static constexpr Intake kIntake = Intake::kCombineInOrder;

  InOrder(Container& container, const Reduction& reduction, std::uint64_t elements,
          bool /*at_root*/)
      : me_(container.member()),
        members_(container.members()),
        reduction_(reduction),
        elements_(elements),
        stride_(shm::round_to_lines(bytes())),
        meeting_(container, (all() + 1) * stride_) {}

  Meeting& meeting() { return meeting_; }
  std::byte* data() { return meeting_.memory() + all() * stride_; }
  std::uint64_t bytes() const { return elements_ * reduction_.element_bytes(); }

  // Returns whether that completed the node's vector.
  bool contribute(const std::byte* vector) {
    lay_down(vector);
    if (meeting_.arrivals().count() != all()) return false;
    contributions().combine(reduction_, 0, elements_, data());
    return true;
  }
  // On the root's node.
  void leave_to_root(const std::byte* vector) {
    lay_down(vector);
    meeting_.arrive(all());
  }
  // The root: nothing can be combined before all are there.
  bool begin_result(const std::byte* /*own*/, std::byte* /*result*/) { return false; }
  void finish_result(const std::byte* own, std::byte* result, RootExchange* /*others*/) {
    Contributions given = contributions();
    if (own == result && me_ > 1) {
      lay_down(own);  // combining would overwrite it before its turn comes
    } else {
      given.me = me_;
      given.own = own;
    }
    meeting_.arrive(all());
    meeting_.wait_arrived(all());
    given.combine(reduction_, 0, elements_, result);
  }

 private:
  std::uint64_t all() const { return static_cast<std::uint64_t>(members_); }
  Contributions contributions() {
    return {.memory = meeting_.memory(), .stride = stride_, .members = members_};
  }
  void lay_down(const std::byte* vector) {
    shm::copy_to_shared(meeting_.memory() + static_cast<std::uint64_t>(me_) * stride_, vector,
                        bytes());
  }

  int me_;
  int members_;
  const Reduction& reduction_;
  std::uint64_t elements_;
  std::uint64_t stride_;
  Meeting meeting_;
};

// In the order of arrival: whoever comes combines its vector with what is there. The root combines
// what its node has and what comes from other nodes in the order in which it is there.
class AsTheyCome {
 public:
  static constexpr Intake kIntake = Intake::kCombineAsItComes;

  // The root combines its own vector last, into its buffer.
  AsTheyCome(Container& container, const Reduction& reduction, std::uint64_t elements, bool at_root)
      : reduction_(reduction),
        elements_(elements),
        is_alone_(container.members() == 1),
        running_(container, reduction, elements, container.members() - at_root) {}

  Meeting& meeting() { return running_.meeting(); }
  std::byte* data() { return running_.data(); }
  std::uint64_t bytes() const { return running_.bytes(); }

  bool contribute(const std::byte* vector) {
    return running_.contribute(vector, [] { return false; });
  }
  void leave_to_root(const std::byte* vector) { contribute(vector); }
  // Returns true: other nodes' vectors can be combined into `result` from now on.
  bool begin_result(const std::byte* own, std::byte* result) {
    if (own != result) reduction_.copy(own, result, elements_);
    return true;
  }
  // `others`: what goes on meanwhile, if anything.
  void finish_result(const std::byte* /*own*/, std::byte* result, RootExchange* others) {
    if (others) {
      work_until([this] { return running_.is_complete(); }, [&] { return others->progress(); });
    } else {
      running_.wait_complete();
    }
    if (!is_alone_) reduction_.combine(data(), result, result, elements_);
  }

 private:
  const Reduction& reduction_;
  std::uint64_t elements_;
  bool is_alone_;
  RunningResult running_;
};

template <typename NodeVector>
class Block {
 public:
  Block(Container& container, inter::Way way, const Vector& vector, const Reduction& reduction,
        int root)
      : container_(container),
        way_(way),
        vector_(vector),
        reduction_(reduction),
        root_(root),
        is_at_root_(container.node() == container.nodes().node_of(root)),
        node_vector_(container, reduction, vector.elements, is_at_root_) {}

  void run() {
    if (container_.rank() == root_) {
      collect();
    } else if (is_at_root_) {
      node_vector_.leave_to_root(vector_.send);
    } else {
      give();
    }
    node_vector_.meeting().leave();
  }

 private:
  void give();
  void collect();
  void exchange(std::optional<RootExchange>& with, std::byte* buffer) {
    with.emplace(container_, node_vector_.meeting().sequence(), way_, root_, buffer,
                 node_vector_.bytes(), reduction_, NodeVector::kIntake);
  }

  Container& container_;
  inter::Way way_;
  Vector vector_;
  const Reduction& reduction_;
  int root_;
  bool is_at_root_;
  NodeVector node_vector_;
};

// On a node without the root.
template <typename NodeVector>
void Block<NodeVector>::give() {
  NodeToRoot to_root(container_, node_vector_.meeting(), way_, root_, node_vector_.data(),
                     node_vector_.bytes(), reduction_, NodeVector::kIntake);
  if (node_vector_.contribute(vector_.send)) to_root.complete();
  to_root.finish();
}

// Where all nodes send to the root it may take in what comes before its own node is complete; in a
// plan it may have to pass on what its own node has.
template <typename NodeVector>
void Block<NodeVector>::collect() {
  const bool has_others = container_.nodes().nodes() > 1;
  std::optional<RootExchange> others;
  const bool takes_in = node_vector_.begin_result(vector_.send, vector_.recv);
  if (takes_in && has_others && way_ == inter::Way::kDirect) exchange(others, vector_.recv);
  node_vector_.finish_result(vector_.send, vector_.recv, others ? &*others : nullptr);
  if (!has_others) return;
  // A plan may bring parts of the result as they lie on other nodes, gaps included.
  const bool brings_gaps = reduction_.has_gaps() && way_ == inter::Way::kPlan;
  if (brings_gaps) reduction_.copy(vector_.recv, node_vector_.data(), vector_.elements);
  if (!others) exchange(others, brings_gaps ? node_vector_.data() : vector_.recv);
  others->finish();
  if (brings_gaps) reduction_.copy(node_vector_.data(), vector_.recv, vector_.elements);
}

// Nobody holds one block while taking the next.
template <typename NodeVector>
void run_blocks(Container& container, inter::Way way, const Vector& vector,
                const Reduction& reduction, int root, std::uint64_t block_elements) {
  const std::uint64_t element = reduction.element_bytes();
  for (std::uint64_t first = 0; first < vector.elements; first += block_elements) {
    const std::uint64_t elements = std::min(block_elements, vector.elements - first);
    std::byte* const recv = vector.recv ? vector.recv + first * element : nullptr;
    Block<NodeVector>(container, way, {vector.send + first * element, recv, elements}, reduction,
                      root)
        .run();
  }
}

// With a core for each rank the root of a node combines one block while the others lay the next one
// down. Between nodes each block would cost a message, and where ranks take turns on a core changes
// of context.
std::uint64_t block_bytes(const Container& container, std::uint64_t vector_bytes) {
  constexpr std::uint64_t kBlocks = 4;
  constexpr std::uint64_t kLeastBytes = 32 << 10;
  if (container.nodes().nodes() > 1 || world()->crowded) return inter::kReduceBlockBytes;
  return std::clamp(vector_bytes / kBlocks, kLeastBytes, inter::kReduceBlockBytes);
}

}  // namespace

void hybrid_reduce(Container& container, MPI_Comm comm, const Vector& vector,
                   const Reduction& reduction, int root) {
  const std::uint64_t element = reduction.element_bytes();
  const std::uint64_t bytes = vector.elements * element;
  const CallFacts call = CallFacts::reduce(root, bytes, reduction.order_matters());
  const inter::Way way = way_of(call, container);
  if (combines_by_arrival(call, container)) {
    run_blocks<AsTheyCome>(container, way, vector, reduction, root,
                           running_blocks(container, comm, bytes, element).elements);
    return;
  }
  const auto parts = static_cast<std::uint64_t>(container.nodes().most_members() + 1);
  const std::uint64_t block = block_bytes(container, bytes);
  container.grow(comm, parts_bytes(parts, std::min(bytes, block)));
  const std::uint64_t room = part_room(container.work_bytes(), parts);
  run_blocks<InOrder>(container, way, vector, reduction, root,
                      std::max<std::uint64_t>(std::min(room, block) / element, 1));
}

}  // namespace mpiactor
