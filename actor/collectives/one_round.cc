#include "actor/collectives/one_round.h"

#include <cstring>
#include <optional>
#include <vector>

#include "actor/collectives/contributions.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/collectives/without_plan.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

// Arrivals count members, and nodes in steps of this.
constexpr std::uint64_t kNodeStep = 1 << 12;
// Beside them: the home receives already, and whoever completes the node's vector sends it.
constexpr std::uint64_t kHomeReceives = 1 << 18;

class OneRound {
 public:
  OneRound(Container& container, const Vector& vector, const Reduction& reduction)
      : container_(container),
        nodes_(container.nodes()),
        vector_(vector),
        reduction_(reduction),
        bytes_(vector.elements * reduction.element_bytes()),
        stride_(part_stride(bytes_)),
        members_(static_cast<std::uint64_t>(container.members())),
        meeting_(container, (members_ + node_count() + 1) * stride_),
        homes_(nodes_) {}

  void run();

 private:
  std::uint64_t node_count() const { return static_cast<std::uint64_t>(nodes_.nodes()); }
  std::uint64_t everything() const { return members_ + node_count() * kNodeStep; }
  std::byte* part(std::uint64_t index) { return meeting_.memory() + index * stride_; }
  std::byte* node_vectors() { return part(members_); }
  std::byte* result() { return part(members_ + node_count()); }
  Transfer of_node(int node) const {
    return {node, static_cast<std::uint64_t>(node) * stride_, bytes_};
  }

  // All members have laid their vectors down; the caller ends the sends.
  void complete();
  void send();
  void receive();
  // One more node's vector is there.
  void count_node();

  Container& container_;
  const NodeMap& nodes_;
  Vector vector_;
  const Reduction& reduction_;
  std::uint64_t bytes_;
  std::uint64_t stride_;
  std::uint64_t members_;
  Meeting meeting_;
  Homes homes_;
  inter::Plan send_plan_;
  std::optional<NodeExchange> sends_;
};

void OneRound::count_node() {
  if ((meeting_.arrive(0, kNodeStep) & ~kHomeReceives) != everything()) return;
  const Contributions contributions{
      .memory = node_vectors(), .stride = stride_, .members = nodes_.nodes()};
  contributions.combine(reduction_, 0, vector_.elements, result());
  meeting_.publish_result();
}

void OneRound::send() {
  const Transfer own = of_node(container_.node());
  std::vector<Transfer> transfers;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    if (node != container_.node()) transfers.push_back({node, own.offset, bytes_});
  }
  send_plan_ = exchange_plan(container_.node(), nodes_.nodes(), transfers, {});
  sends_.emplace(container_, meeting_.sequence(),
                 NodeExchange::Setup{.plan = &send_plan_,
                                     .leaders = &homes_,
                                     .buffer = node_vectors(),
                                     .bytes = node_count() * stride_,
                                     .segment_bytes = bytes_});
}

void OneRound::complete() {
  const Contributions contributions{
      .memory = part(0), .stride = stride_, .members = container_.members()};
  contributions.combine(reduction_, 0, vector_.elements,
                        node_vectors() + of_node(container_.node()).offset);
  send();
  count_node();
}

void OneRound::receive() {
  std::vector<Transfer> transfers;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    if (node != container_.node()) transfers.push_back(of_node(node));
  }
  const inter::Plan plan = exchange_plan(container_.node(), nodes_.nodes(), {}, transfers);
  const AnyMember senders(nodes_);
  NodeExchange(container_, meeting_.sequence(),
               {.plan = &plan,
                .leaders = &senders,
                .buffer = node_vectors(),
                .bytes = node_count() * stride_,
                .segment_bytes = bytes_,
                .arrived = [this](std::uint64_t, std::uint64_t) { count_node(); }})
      .finish();
}

void OneRound::run() {
  std::memcpy(part(static_cast<std::uint64_t>(container_.member())), vector_.send, bytes_);
  const std::uint64_t arrived = meeting_.arrive(members_);
  if (is_home(container_)) {
    if (arrived == members_ || meeting_.come_in_time(members_, kHomeReceives)) complete();
    receive();
  } else if (arrived % kNodeStep == members_ && (arrived & kHomeReceives)) {
    complete();
  }
  meeting_.wait_result();
  reduction_.copy(result(), vector_.recv, vector_.elements);
  if (sends_) sends_->finish();
  meeting_.leave();
}

}  // namespace

std::uint64_t one_round_bytes(const Container& container, std::uint64_t bytes) {
  const NodeMap& nodes = container.nodes();
  const bool is_suited = goes_without_plan(container, inter::Collective::kAllreduce) &&
                         inter::one_round_pays(nodes.nodes(), bytes) &&
                         nodes.most_members() < static_cast<int>(kNodeStep);
  if (!is_suited) return 0;
  const auto vectors = static_cast<std::uint64_t>(nodes.most_members() + nodes.nodes() + 1);
  return vectors * part_stride(bytes);
}

bool goes_in_one_round(const Container& container, std::uint64_t bytes) {
  const std::uint64_t wanted = one_round_bytes(container, bytes);
  return wanted != 0 && wanted <= container.work_bytes();
}

void one_round_allreduce(Container& container, const Vector& vector, const Reduction& reduction) {
  OneRound(container, vector, reduction).run();
}

}  // namespace mpiactor
