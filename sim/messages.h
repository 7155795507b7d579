// Messages between nodes that ranks send and receive for themselves, each at moments of its own.
#ifndef MPIACTOR_SIM_MESSAGES_H_
#define MPIACTOR_SIM_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/arrivals.h"
#include "sim/machine.h"

namespace mpiactor::sim {

struct RankMessage {
  int from = 0;  // nodes
  int to = 0;
  std::uint64_t bytes = 0;  // at least 1
  Picoseconds given = 0;    // when it may be sent
  Picoseconds wanted = 0;   // when its receiver comes
  // Messages to the same node, earlier in the list, that its receiver takes first.
  std::vector<std::size_t> after = {};
};

struct MessageEnds {
  std::vector<Picoseconds> sent;  // of each message
  std::vector<Picoseconds> received;
};

std::uint64_t longest_of(const std::vector<RankMessage>& messages);

// A node's messages go in the order of the list, as far as they may. Throws PlanError.
MessageEnds simulate_messages(const Machine& machine, int nodes,
                              const std::vector<RankMessage>& messages);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_MESSAGES_H_
