#include "actor/between/root_exchange.h"

#include <utility>

#include "actor/container/world.h"
#include "actor/trace/span.h"
#include "inter/algorithms.h"

namespace mpiactor {

RootPlan::RootPlan(Container& container, std::uint64_t sequence, inter::Way way, int root,
                   std::byte* buffer, std::uint64_t bytes, const Reduction& reduction,
                   Intake intake)
    : container_(container),
      sequence_(sequence),
      way_(way),
      root_node_(container.nodes().node_of(root)),
      intake_(intake),
      setup_{.buffer = buffer, .bytes = bytes, .segment_bytes = bytes, .reduction = &reduction},
      leaders_(container.nodes(), root, LeaderPolicy::kStatic, RootsNode::kRoot),
      collectors_(container.nodes(), root) {
  setup_.leaders = &leaders_;
}

const inter::Selection& RootPlan::choose() {
  choice_ = container_.choose(inter::Collective::kReduce, root_node_, setup_.bytes,
                              setup_.reduction->element_bytes());
  return choice_->selection;
}

NodeExchange::Setup RootPlan::describe() {
  setup_.synchronous = container_.collector_pace().must_wait_for_receiver(sequence_);
  if (all_send_to_root()) {
    star_ = inter::reduce_linear({.shape = inter::Shape::line(container_.nodes().nodes()),
                                  .root_node = root_node_,
                                  .bytes = setup_.bytes,
                                  .node = container_.node()});
    if (intake_ == Intake::kCombineAsItComes) star_ = inter::combined_as_it_comes(std::move(star_));
    setup_.plan = &star_;
    if (container_.is_competitive()) setup_.leaders = &collectors_;
    // Whole vectors are quickest, but the root must take them all in.
    if (world()->settings.memory.is_limited()) {
      setup_.segment_bytes = choose().segment_bytes;
      trace::algorithm("direct");
    }
  } else {
    setup_.segment_bytes = choose().segment_bytes;
    setup_.plan = &choice_->plan;
    setup_.from_any_member = Between::others_send(container_);
  }
  return setup_;
}

RootExchange::RootExchange(Container& container, std::uint64_t sequence, inter::Way way, int root,
                           std::byte* buffer, std::uint64_t bytes, const Reduction& reduction,
                           Intake intake)
    : plan_(container, sequence, way, root, buffer, bytes, reduction, intake) {
  exchange_.emplace(container, sequence, plan_.describe());
}

NodeToRoot::NodeToRoot(Container& container, Meeting& meeting, inter::Way way, int root,
                       std::byte* node_vector, std::uint64_t bytes, const Reduction& reduction,
                       Intake intake)
    : container_(container),
      sequence_(meeting.sequence()),
      plan_(container, sequence_, way, root, node_vector, bytes, reduction, intake) {
  if (plan_.all_send_to_root() && container.is_competitive()) return;
  between_.emplace(container, meeting,
                   Between::Setup{.describe = [this] { return plan_.describe(); }});
}

void NodeToRoot::complete() {
  if (between_) {
    between_->complete();
  } else {
    sends_.emplace(container_, sequence_, plan_.describe());
  }
}

void NodeToRoot::finish() {
  if (sends_) sends_->finish();
  if (!between_ || (is_fixed_leader(container_) && between_->leave_to_others())) return;
  between_->finish();
}

}  // namespace mpiactor
