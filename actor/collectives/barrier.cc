// Barrier: members count themselves in; between nodes an allreduce of one byte.
#include <memory>

#include "actor/between/between.h"
#include "actor/collectives/allreduce_between.h"
#include "actor/collectives/collectives.h"
#include "actor/collectives/operation.h"
#include "actor/node/meeting.h"

namespace mpiactor {
namespace {

const Reduction& any() {
  static const Reduction reduction = *Reduction::find(MPI_BOR, MPI_BYTE);
  return reduction;
}

void planned_barrier(Container& container) {
  Meeting meeting(container, 1);
  std::shared_ptr<const Choice> choice;
  const auto describe = [&] {
    choice = container.choose(inter::Collective::kAllreduce, 0, 1);
    return NodeExchange::Setup{.plan = &choice->plan,
                               .buffer = meeting.memory(),  // of any value
                               .bytes = 1,
                               .segment_bytes = choice->selection.segment_bytes,
                               .reduction = &any()};
  };
  Between(container, meeting, {.describe = describe}).run_for_all();
  meeting.leave();
}

}  // namespace

void hybrid_barrier(Container& container) {
  std::byte token{};
  if (container.nodes().nodes() == 1) {
    Meeting meeting(container, 0);
    meeting.end_phase(1);
    meeting.wait_phase(1);
    meeting.leave();
  } else if (way_of(CallFacts::barrier(), container) == inter::Way::kDirect &&
             fits_one_round(container, sizeof token)) {
    one_round_allreduce(container, {&token, &token, 1}, any());
  } else {
    planned_barrier(container);
  }
}

}  // namespace mpiactor
