// mpiactor-info --memory: what the runtime takes in a job of any size.
#ifndef MPIACTOR_TOOLS_INFO_MEMORY_H_
#define MPIACTOR_TOOLS_INFO_MEMORY_H_

#include <string>

#include "actor/container/memory_need.h"

namespace mpiactor::info {

std::string to_text(const MemoryQuestion& question, const MemoryNeed& need);
// Keys: nodes, ranks_per_node, order, communicators, message_bytes; rank, call and node, each with
// items (what, sure_bytes, most_bytes), rank and node also with sure_bytes and most_bytes in all.
std::string to_json(const MemoryQuestion& question, const MemoryNeed& need);

// "blocks", "cyclic", "irregular"; std::invalid_argument for another.
RankOrder rank_order_of(const std::string& name);

}  // namespace mpiactor::info

#endif  // MPIACTOR_TOOLS_INFO_MEMORY_H_
