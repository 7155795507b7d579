// Trinaryx3 and Trinaryx6 ([Fugaku], [K-MPI]), broadcast and reductions: the message in parts of
// equal size, one for each of a set of spanning trees that share no directed link (link_trees.h).
// All trees are NX + NY + NZ - 2 deep at most on a torus, so with pipelining the time is that of
// one link for one part.
#include <algorithm>

#include "inter/tofu_algos/algorithms.h"
#include "inter/tofu_algos/link_trees.h"
#include "inter/tree_streams.h"

namespace mpiactor::inter {
namespace {

std::vector<TreePlace> places_in(const LinkTrees& trees, const PlanInput& input) {
  std::vector<TreePlace> places;
  // One node has no axis and no tree.
  const Blocks parts(input.bytes, std::max(trees.count(), 1), input.granule_bytes);
  for (int tree = 0; tree < trees.count(); ++tree) {
    places.push_back({.parent = trees.parent(tree, input.node),
                      .children = trees.children(tree, input.node),
                      .range = parts.range(tree, tree + 1)});
  }
  return places;
}

// Reductions also need to know where a node stands among its siblings.
std::vector<TreePlace> family_places_in(const LinkTrees& trees, const PlanInput& input) {
  std::vector<TreePlace> places = places_in(trees, input);
  for (int tree = 0; tree < trees.count(); ++tree) {
    TreePlace& place = places[static_cast<std::size_t>(tree)];
    if (place.parent == TreePlace::kNoParent) continue;
    const std::vector<int> siblings = trees.children(tree, place.parent);
    const auto self = std::find(siblings.begin(), siblings.end(), input.node);
    place.place_among_siblings = static_cast<int>(self - siblings.begin());
  }
  return places;
}

LinkTrees three_trees(const PlanInput& input) {
  return LinkTrees::forward(input.shape, input.root_node);
}

}  // namespace

Plan bcast_trinaryx3(const PlanInput& input) {
  return broadcast_along(places_in(three_trees(input), input));
}

Plan bcast_trinaryx6(const PlanInput& input) {
  return broadcast_along(places_in(LinkTrees::all(input.shape, input.root_node), input));
}

Plan reduce_trinaryx3(const PlanInput& input) {
  return reduce_along(family_places_in(three_trees(input), input));
}

Plan allreduce_trinaryx3(const PlanInput& input) {
  return allreduce_along(family_places_in(three_trees(input), input));
}

int trinaryx3_streams(const Shape& shape) { return forward_tree_count(shape); }

int trinaryx6_streams(const Shape& shape) { return all_tree_count(shape); }

}  // namespace mpiactor::inter
