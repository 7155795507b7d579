#include "actor/collectives/node_shares.h"

#include <utility>

#include "actor/collectives/last_sends.h"
#include "actor/collectives/node_combining.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

// Arrivals count, beside a node's own, contributions and combined shares of up to 8 nodes.
constexpr std::uint64_t kContribution = NodeCombining::kMostCounted + 1;
constexpr std::uint64_t kShare = kContribution << 4;
// The node's vector is complete; the home leaves it to whoever completes it to send.
constexpr std::uint64_t kComplete = kShare << 4;
constexpr std::uint64_t kHomeReceives = kComplete << 1;
static_assert(kHomeReceives <= competition::kMaxEntries);

constexpr std::uint64_t contributions_in(std::uint64_t arrived) {
  return arrived / kContribution % (kShare / kContribution);
}
constexpr std::uint64_t shares_in(std::uint64_t arrived) {
  return arrived / kShare % (kComplete / kShare);
}

// Messages of a pair of nodes are told apart by these: they may come from two processes.
constexpr int kContributions = 0;
constexpr int kShares = 1;

}  // namespace

bool NodeShares::is_used(const Container& container, std::optional<inter::Collective> collective) {
  return LastSends::is_used(container, collective) &&
         static_cast<std::uint64_t>(container.nodes().most_members()) <=
             NodeCombining::kMostMembers;
}

std::uint64_t NodeShares::contributed_bytes(const NodeMap& nodes, std::uint64_t bytes,
                                            std::uint64_t largest, Result wanted) {
  if (swaps(nodes, wanted)) return part_stride(bytes);
  return static_cast<std::uint64_t>(nodes.nodes()) * part_stride(largest);
}

NodeShares::NodeShares(Container& container, Meeting& meeting, const Reduction& reduction,
                       std::vector<std::uint64_t> first, Result wanted, std::byte* vectors,
                       std::byte* contributed)
    : container_(container),
      meeting_(meeting),
      reduction_(reduction),
      first_(std::move(first)),
      is_patient_(container.nodes().nodes() > inter::kImpatientShareNodes),
      wanted_(wanted),
      swaps_(swaps(container.nodes(), wanted)),
      stride_(part_stride(share_bytes(me()))),
      node_vector_(vectors),
      // Nobody has a combined share before this node has sent what it was made of. What comes from
      // the other node in a swap becomes the result.
      result_(swaps_ ? contributed : vectors + vector_stride()),
      contributed_(contributed),
      bytes_(static_cast<std::uint64_t>(contributed - vectors) +
             contributed_bytes(container.nodes(), vector_bytes(), share_bytes(me()), wanted)),
      homes_(container.nodes()),
      senders_(container.nodes()) {
  for_each_other([&](int node) {
    awaited_contributions_ += share_bytes(me()) != 0;
    awaited_shares_ += !swaps_ && share_bytes(node) != 0;
  });
}

template <typename Visit>
void NodeShares::for_each_other(Visit visit) const {
  for (int node = 0; node < container_.nodes().nodes(); ++node) {
    if (node != me()) visit(node);
  }
}

Contributions NodeShares::contributions() const {
  // Where two nodes swap there is no own slot.
  return {.memory = swaps_ && me() == 0 ? contributed_ - stride_ : contributed_,
          .stride = stride_,
          .members = container_.nodes().nodes(),
          .me = me(),
          .own = node_vector_ + begin(me())};
}

NodeExchange::Setup NodeShares::setup(const inter::Plan& plan,
                                      const inter::PossibleLeaders& leaders) {
  return {.plan = &plan,
          .leaders = &leaders,
          .buffer = node_vector_,
          .bytes = bytes_,
          .segment_bytes = inter::kShareSegmentBytes};
}

void NodeShares::start(std::span<const Transfer> transfers, inter::Plan& plan,
                       std::optional<NodeExchange>& exchange) {
  plan = exchange_plan(me(), container_.nodes().nodes(), transfers, {});
  exchange.emplace(container_, meeting_.sequence(), setup(plan, homes_));
}

void NodeShares::receive() {
  const auto result_begin = static_cast<std::uint64_t>(result_ - node_vector_);
  const auto contributed_begin = static_cast<std::uint64_t>(contributed_ - node_vector_);
  std::vector<Transfer> receives;
  for_each_other([&](int node) {
    const std::uint64_t slot = swaps_ ? 0 : static_cast<std::uint64_t>(node) * stride_;
    receives.push_back({node, contributed_begin + slot, share_bytes(me()), kContributions});
    if (wanted_ == Result::kVector && !swaps_) {
      receives.push_back({node, result_begin + begin(node), share_bytes(node), kShares});
    }
  });
  receive_plan_ = exchange_plan(me(), container_.nodes().nodes(), {}, receives);
  NodeExchange::Setup from_all = setup(receive_plan_, senders_);
  whole_receives_.emplace(receives);
  from_all.arrived = [this, contributed_begin](std::uint64_t offset, std::uint64_t bytes) {
    if (!whole_receives_->complete(offset, bytes)) return;
    if (offset >= contributed_begin) {
      count_contribution();
    } else {
      count_share();
    }
  };
  receives_.emplace(container_, meeting_.sequence(), from_all);
  is_undecided_ = is_patient_;
}

void NodeShares::complete() {
  if (!is_patient_ || is_home(container_)) {
    is_undecided_ = false;
    send();
  } else if (meeting_.arrive(0, kComplete) & kHomeReceives) {
    send();
  }
}

// Home: sends where the node's vector is complete in time; else whoever completes it does. Returns
// whether it has sent.
bool NodeShares::decide() {
  if (deadline_ns_ == 0) deadline_ns_ = shm::monotonic_ns() + inter::kHomePatienceUs * 1000;
  std::uint64_t arrived = meeting_.arrivals();
  if (!(arrived & kComplete)) {
    if (shm::monotonic_ns() < deadline_ns_) return false;
    arrived = meeting_.arrive(0, kHomeReceives);
  }
  is_undecided_ = false;
  if (arrived & kComplete) send();
  return arrived & kComplete;
}

void NodeShares::send() {
  std::vector<Transfer> sends;
  for_each_other([&](int node) {
    sends.push_back({node, begin(node), share_bytes(node), kContributions});
  });
  start(sends, contribution_plan_, contribution_sends_);
  count_contribution();
}

void NodeShares::count_contribution() {
  if (contributions_in(meeting_.arrive(0, kContribution)) != awaited_contributions_) return;
  if (wanted_ == Result::kShare) {
    meeting_.publish_result();
  } else {
    give_share();
  }
}

void NodeShares::give_share() {
  const std::uint64_t elements = share_bytes(me()) / reduction_.element_bytes();
  contributions().combine_for_others(reduction_, 0, elements, result_ + begin(me()));
  if (swaps_) {
    count_share();
    return;
  }
  std::vector<Transfer> sends;
  const std::uint64_t offset = static_cast<std::uint64_t>(result_ - node_vector_) + begin(me());
  for_each_other([&](int node) { sends.push_back({node, offset, share_bytes(me()), kShares}); });
  start(sends, share_plan_, share_sends_);
  count_share();
}

void NodeShares::count_share() {
  if (shares_in(meeting_.arrive(0, kShare)) == awaited_shares_) meeting_.publish_result();
}

bool NodeShares::progress() {
  bool any = is_undecided_ && decide();
  for (auto* const exchange : {&receives_, &contribution_sends_, &share_sends_}) {
    if (*exchange) any |= (*exchange)->progress();
  }
  return any;
}

bool NodeShares::is_idle() const {
  if (is_undecided_) return false;
  for (const auto* const exchange : {&receives_, &contribution_sends_, &share_sends_}) {
    if (*exchange && !(*exchange)->done()) return false;
  }
  return true;
}

}  // namespace mpiactor
