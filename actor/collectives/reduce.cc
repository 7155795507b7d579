// Reduce. Members lay their vectors down and go on; on the root's node the root combines them, on
// another node the last to arrive does, and sends the node's vector to the root.
#include <algorithm>
#include <cstring>

#include "actor/between/node_exchange.h"
#include "actor/between/root_exchange.h"
#include "actor/collectives/arrival_reductions.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/operation.h"
#include "actor/node/contributions.h"
#include "actor/node/meeting.h"
#include "actor/shm/copy.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

constexpr std::uint64_t kBlockBytes = inter::kReduceBlockBytes;

class Block {
 public:
  Block(Container& container, inter::Way way, const Vector& vector, const Reduction& reduction,
        int root)
      : container_(container),
        way_(way),
        vector_(vector),
        reduction_(reduction),
        root_(root),
        root_node_(container.nodes().node_of(root)),
        members_(container.members()),
        bytes_(vector.elements * reduction.element_bytes()),
        stride_(part_stride(bytes_)),
        meeting_(container, static_cast<std::uint64_t>(members_ + 1) * stride_) {}

  void run() {
    if (container_.rank() == root_) {
      collect();
    } else if (container_.node() == root_node_) {
      lay_down();
      meeting_.arrive(all());
    } else {
      give();
    }
    meeting_.leave();
  }

 private:
  std::uint64_t all() const { return static_cast<std::uint64_t>(members_); }
  std::byte* node_vector() { return meeting_.memory() + all() * stride_; }
  Contributions contributions() {
    return {.memory = meeting_.memory(), .stride = stride_, .members = members_};
  }
  void lay_down() {
    std::byte* const mine =
        meeting_.memory() + static_cast<std::uint64_t>(container_.member()) * stride_;
    shm::copy_to_shared(mine, vector_.send, bytes_);
  }
  void give();
  void collect();
  void exchange(std::byte* buffer);

  Container& container_;
  inter::Way way_;
  Vector vector_;
  const Reduction& reduction_;
  int root_;
  int root_node_;
  int members_;
  std::uint64_t bytes_;
  std::uint64_t stride_;
  Meeting meeting_;
};

// On a node without the root.
void Block::give() {
  lay_down();
  NodeToRoot to_root(container_, meeting_, way_, root_, node_vector(), bytes_, reduction_,
                     Intake::kCombineInOrder);
  if (meeting_.arrivals().count() == all()) {
    contributions().combine(reduction_, 0, vector_.elements, node_vector());
    to_root.complete();
  }
  to_root.finish();
}

// The root's part between the nodes.
void Block::exchange(std::byte* buffer) {
  RootExchange(container_, meeting_.sequence(), way_, root_, buffer, bytes_, reduction_,
               Intake::kCombineInOrder)
      .finish();
}

void Block::collect() {
  const int me = container_.member();
  Contributions given = contributions();
  if (vector_.send == vector_.recv && me > 1) {
    lay_down();  // combining would overwrite it before its turn comes
  } else {
    given.me = me;
    given.own = vector_.send;
  }
  meeting_.arrive(all());
  meeting_.wait_arrived(all());
  // A plan may bring parts of the result as they lie on other nodes, gaps included.
  if (reduction_.has_gaps() && way_ == inter::Way::kPlan) {
    given.combine(reduction_, 0, vector_.elements, node_vector());
    exchange(node_vector());
    reduction_.copy(node_vector(), vector_.recv, vector_.elements);
    return;
  }
  given.combine(reduction_, 0, vector_.elements, vector_.recv);
  if (container_.nodes().nodes() > 1) exchange(vector_.recv);
}

}  // namespace

void hybrid_reduce(Container& container, MPI_Comm comm, const Vector& vector,
                   const Reduction& reduction, int root) {
  const std::uint64_t element = reduction.element_bytes();
  const std::uint64_t bytes = vector.elements * element;
  const CallFacts call = CallFacts::reduce(root, bytes, reduction.order_matters());
  const inter::Way way = way_of(call, container);
  if (combines_by_arrival(call, container)) {
    arrival_reduce(container, comm, way, vector, reduction, root);
    return;
  }
  const auto parts = static_cast<std::uint64_t>(container.nodes().most_members() + 1);
  container.grow(comm, parts * part_stride(std::min(bytes, kBlockBytes) + 64));
  const std::uint64_t room = container.work_bytes() / parts - 64;
  const std::uint64_t block = std::max<std::uint64_t>(std::min(room, kBlockBytes) / element, 1);
  for (std::uint64_t first = 0; first < vector.elements; first += block) {
    const std::uint64_t elements = std::min(block, vector.elements - first);
    std::byte* const recv = vector.recv ? vector.recv + first * element : nullptr;
    Block(container, way, {vector.send + first * element, recv, elements}, reduction, root).run();
  }
}

}  // namespace mpiactor
