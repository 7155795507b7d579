#include "sim/direct_plan.h"

#include <vector>

#include "inter/exchange_plan.h"

namespace mpiactor::sim {

inter::Plan direct_plan(int node, int nodes, const BetweenNodes& between, bool combines) {
  std::vector<inter::Transfer> sends;
  std::vector<inter::Transfer> receives;
  for (int other = 0; other < nodes; ++other) {
    if (other == node) continue;
    const inter::ByteRange from = between(other, node);
    const inter::ByteRange to = between(node, other);
    receives.push_back({other, from.offset, from.bytes});
    sends.push_back({other, to.offset, to.bytes});
  }
  return inter::exchange_plan(node, nodes, sends, receives,
                              combines ? inter::Intake::kCombineInOrder : inter::Intake::kPlace);
}

}  // namespace mpiactor::sim
