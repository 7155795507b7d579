// Barrier: members count themselves in; between nodes an allreduce of one byte.
#include "actor/collectives/hybrid.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/collectives/one_round.h"

namespace mpiactor {

void hybrid_barrier(Container& container) {
  static const Reduction any = *Reduction::find(MPI_BOR, MPI_BYTE);
  std::byte token{};
  if (goes_in_one_round(container, sizeof token)) {
    one_round_allreduce(container, {&token, &token, 1}, any);
    return;
  }
  Meeting meeting(container, 0);
  meeting.end_phase(1);
  if (container.nodes().nodes() == 1) {
    meeting.wait_phase(1);
  } else if (is_home(container)) {
    meeting.wait_phase(1);
    const auto choice = container.choose(inter::Collective::kAllreduce, 0, 1);
    const Homes homes(container.nodes());
    NodeExchange(container, meeting.sequence(),
                 {.plan = &choice->plan,
                  .leaders = &homes,
                  .buffer = &token,
                  .bytes = 1,
                  .segment_bytes = choice->selection.segment_bytes,
                  .reduction = &any})
        .finish();
    meeting.publish_result();
  } else {
    meeting.wait_result();
  }
  meeting.leave();
}

}  // namespace mpiactor
