// A path through all nodes of a torus or mesh that goes from neighbour to neighbour.
#ifndef MPIACTOR_INTER_TOFU_ALGOS_SNAKE_H_
#define MPIACTOR_INTER_TOFU_ALGOS_SNAKE_H_

#include "inter/plan.h"
#include "inter/routes.h"

namespace mpiactor::inter {

// To and fro along x, every other row backward, and so layer by layer. Axes with wrap-around are
// counted from the root, so that the root is position 0 where all have it.
class Snake {
 public:
  Snake(const Shape& shape, int root_node);
  int position_of(int node) const;
  int node_at_position(int position) const;

 private:
  Shape shape_;
  Coordinates origin_;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_TOFU_ALGOS_SNAKE_H_
