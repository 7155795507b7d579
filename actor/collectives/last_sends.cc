#include "actor/collectives/last_sends.h"

#include <algorithm>

#include "actor/collectives/without_plan.h"
#include "inter/ways.h"

namespace mpiactor {
namespace {

// Arrivals count members, and sources in steps of this.
constexpr std::uint64_t kSourceStep = 1 << 12;
// Beside them: the home receives already, and whoever completes the node's data sends them.
constexpr std::uint64_t kHomeReceives = 1 << 16;

}  // namespace

bool LastSends::is_used(const Container& container, std::optional<inter::Collective> collective) {
  const NodeMap& nodes = container.nodes();
  return goes_without_plan(container, collective) && nodes.nodes() > 1 &&
         nodes.nodes() <= inter::kLastSendsNodes && nodes.most_members() > 1 &&
         nodes.most_members() < static_cast<int>(kSourceStep);
}

LastSends::LastSends(Container& container, Meeting& meeting, std::byte* memory, std::uint64_t bytes)
    : container_(container),
      meeting_(meeting),
      memory_(memory),
      bytes_(bytes),
      members_(static_cast<std::uint64_t>(container.members())),
      homes_(container.nodes()),
      senders_(container.nodes()) {}

void LastSends::count_source() {
  if ((meeting_.arrive(0, kSourceStep) & ~kHomeReceives) == everything_) meeting_.publish_result();
}

NodeExchange::Setup LastSends::setup(const inter::Plan& plan,
                                     const inter::PossibleLeaders& leaders) {
  return {.plan = &plan,
          .leaders = &leaders,
          .buffer = memory_,
          .bytes = bytes_,
          .segment_bytes = std::max<std::uint64_t>(bytes_, 1)};
}

void LastSends::send(std::span<const Transfer> sends) {
  send_plan_ = exchange_plan(container_.node(), container_.nodes().nodes(), sends, {});
  sends_.emplace(container_, meeting_.sequence(), setup(send_plan_, homes_));
  count_source();
}

void LastSends::receive(std::span<const Transfer> receives) {
  const inter::Plan plan =
      exchange_plan(container_.node(), container_.nodes().nodes(), {}, receives);
  NodeExchange::Setup from_all = setup(plan, senders_);
  from_all.arrived = [this](std::uint64_t, std::uint64_t) { count_source(); };
  NodeExchange(container_, meeting_.sequence(), from_all).finish();
}

void LastSends::run(std::span<const Transfer> sends, std::span<const Transfer> receives) {
  const auto messages = std::count_if(receives.begin(), receives.end(),
                                      [](const Transfer& each) { return each.bytes != 0; });
  everything_ = members_ + (static_cast<std::uint64_t>(messages) + 1) * kSourceStep;
  const std::uint64_t arrived = meeting_.arrive(members_);
  if (is_home(container_)) {
    if (arrived == members_ || meeting_.come_in_time(members_, kHomeReceives)) send(sends);
    receive(receives);
  } else if (arrived % kSourceStep == members_ && (arrived & kHomeReceives)) {
    send(sends);
  }
  // Sends first: the result needs the nodes that they go to, too, and long ones this rank's help.
  if (sends_) sends_->finish();
  meeting_.wait_result();
}

}  // namespace mpiactor
