// The node-level algorithms: one row each. The registry feeds selection, the info tool, the tests
// and docs/algorithms.md; an algorithm becomes known everywhere by its row.
#ifndef MPIACTOR_INTER_REGISTRY_H_
#define MPIACTOR_INTER_REGISTRY_H_

#include <span>
#include <string>
#include <string_view>

#include "inter/plan.h"

namespace mpiactor::inter {

enum class Collective { kBcast, kReduce, kAllreduce, kReduceScatter, kAllgather, kAlltoall };

// "bcast", "reduce", ...
const char* collective_name(Collective collective);

struct Algorithm {
  Collective collective;
  const char* name;         // as in settings; unique within the collective
  const char* description;  // one line
  const char* source;       // paper or textbook name
  // Whether the algorithm itself can run on the shape; where it cannot, selection takes another.
  bool (*supports)(const Shape& shape);
  Plan (*make_plan)(const PlanInput& input);
  // Streams on the shape, at most `full_streams`: fewer where it cannot carry them all.
  int (*streams)(const Shape& shape);
  int full_streams;
  // Whether blocks may differ in size (PlanInput::gives, cuts).
  bool takes_sizes = false;
  // Broadcast: whether it is of trees, down each of which a range of the message goes in one piece,
  // on one channel. Then nodes below a late one can be served from above.
  bool is_of_trees = false;
  // Allreduce: each node combines all nodes' vectors. It must do so in the order of the nodes, its
  // own vector at its place among them, so that all have the same bits.
  bool combines_in_node_order = false;
};

std::span<const Algorithm> algorithms();

// nullptr when there is none of that name.
const Algorithm* find_algorithm(Collective collective, std::string_view name);

// "4 of 6 streams on this shape"; empty where the shape carries them all.
std::string stream_note(const Algorithm& algorithm, const Shape& shape);

// "linear|chain|...", for messages and help texts.
std::string algorithm_names(Collective collective, std::string_view separator = "|");

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_REGISTRY_H_
