// Pipeline [Fugaku]: a chain that only ever goes from a node to its neighbour. On a torus it starts
// at the root; where an axis has no wrap-around the root may be in the middle of the path, and
// sends both ways.
#include "inter/tofu_algos/algorithms.h"
#include "inter/tofu_algos/snake.h"
#include "inter/tree_streams.h"

namespace mpiactor::inter {

Plan bcast_pipeline(const PlanInput& input) {
  const Snake snake(input.shape, input.root_node);
  const int self = snake.position_of(input.node);
  const int root = snake.position_of(input.root_node);
  const int last = static_cast<int>(input.shape.nodes()) - 1;
  TreePlace place;
  place.range = {0, input.bytes};
  if (self > root) place.parent = snake.node_at_position(self - 1);
  if (self < root) place.parent = snake.node_at_position(self + 1);
  if (self >= root && self < last) place.children.push_back(snake.node_at_position(self + 1));
  if (self <= root && self > 0) place.children.push_back(snake.node_at_position(self - 1));
  return broadcast_along({&place, 1});
}

}  // namespace mpiactor::inter
