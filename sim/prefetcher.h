// What a delivery will touch, fetched ahead: the state of 10^5 nodes is in no cache.
#ifndef MPIACTOR_SIM_PREFETCHER_H_
#define MPIACTOR_SIM_PREFETCHER_H_

#include <cstdint>

#include "sim/event_queue.h"
#include "sim/network.h"
#include "sim/op_table.h"

namespace mpiactor::sim {

// In steps, because the addresses of one come with the data of the one before. `Lines` is the
// WaitingLines of the interfaces.
template <typename Lines>
class DeliveryPrefetcher {
 public:
  DeliveryPrefetcher(const OpTable& table, const Network& network, const Lines& for_interfaces)
      : table_(table), network_(network), for_interfaces_(for_interfaces) {}

  // Step 0 .. EventQueue::kSteps - 1 of the delivery of a segment to `receive`.
  void delivery(OpId receive, int step) const {
    static_assert(EventQueue::kSteps == 5);
    if (step == 0) {
      table_.prefetch(receive);
      return;
    }
    const Op& op = table_.op(receive);
    if (step == 1) {  // its sender may send the next segment, its node may pass this one on
      table_.prefetch(op.match);
      table_.prefetch_dependents(op);
      network_.prefetch_receiving(op.node);
      prefetch_sending(op.node);
      return;
    }
    if (step == 2) prefetch_sender(table_.op(op.match));
    const OpTable::Dependents dependents = table_.dependents(receive);
    for (std::uint32_t k = 0; k < dependents.size(); ++k) prefetch_dependent(dependents[k], step);
  }

 private:
  void prefetch_sending(std::uint32_t node) const {
    network_.prefetch_sending(node);
    for_interfaces_.prefetch(node);
  }

  void prefetch_sender(const Op& sender) const {
    if (sender.follows != kNone) table_.prefetch(sender.follows);
    if (sender.has_one_link()) network_.prefetch_link(sender.link);
    prefetch_sending(sender.node);
  }

  void prefetch_dependent(OpId id, int step) const {
    if (step == 2) {
      table_.prefetch(id);
      return;
    }
    const Op& op = table_.op(id);
    if (step == 3 && op.has_one_link()) network_.prefetch_link(op.link);
    if (op.match == kNone) return;
    if (step == 3) {
      table_.prefetch(op.match);
    } else {
      network_.prefetch_receiving(table_.op(op.match).node);
    }
  }

  const OpTable& table_;
  const Network& network_;
  const Lines& for_interfaces_;
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_PREFETCHER_H_
