// How much memory the runtime takes, before anything runs: from the types and functions that it
// allocates with.
#ifndef MPIACTOR_ACTOR_CONTAINER_MEMORY_NEED_H_
#define MPIACTOR_ACTOR_CONTAINER_MEMORY_NEED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "actor/config/settings.h"
#include "inter/tuning.h"

namespace mpiactor {

enum class RankOrder {
  kBlocks,     // consecutive ranks on a node
  kCyclic,     // dealt out in turn
  kIrregular,  // no rule
};

struct MemoryQuestion {
  int nodes = 1;
  int ranks_per_node = 1;
  RankOrder order = RankOrder::kBlocks;
  int communicators = 1;  // of all ranks, alive at a time
  std::uint64_t message_bytes = 1 << 20;
  Settings settings = {};
  inter::Tuning tuning = {};
};

struct MemoryItem {
  std::string what;
  std::uint64_t sure_bytes = 0;  // from the first calls on
  std::uint64_t most_bytes = 0;
};

struct MemoryNeed {
  std::vector<MemoryItem> rank;  // private memory of each rank, as long as the job
  std::vector<MemoryItem> call;  // of the member that leads, while a call runs
  std::vector<MemoryItem> node;  // shared memory of each node
  static MemoryItem sum(const std::vector<MemoryItem>& items);
};

// Without what the MPI library takes, stacks of background calls and traces. Throws
// std::invalid_argument where the settings' torus does not fit the nodes.
MemoryNeed memory_need(const MemoryQuestion& question);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_MEMORY_NEED_H_
