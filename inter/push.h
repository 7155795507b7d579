#ifndef MPIACTOR_INTER_PUSH_H_
#define MPIACTOR_INTER_PUSH_H_

#include <cstdint>

namespace mpiactor::inter {

// To whom a pushed message goes.
enum class Push : std::uint8_t {
  kToAll,     // down the plan's tree, to every possible leader of a node
  kToOne,     // down the tree, to the first of them alone
  kFromRoot,  // from the root to every possible leader of all nodes: nobody passes it on to others
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_PUSH_H_
