#include "inter/tofu_algos/torus.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

namespace mpiactor::inter {
namespace {

struct Extent {
  int nodes;
  bool wraps;
};

std::optional<Extent> parse_extent(std::string_view text) {
  Extent extent{0, true};
  if (text.ends_with('m')) {
    extent.wraps = false;
    text.remove_suffix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent.nodes);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (extent.nodes < 1 || extent.nodes > kLargestExtent) return std::nullopt;
  return extent;
}

}  // namespace

Shape parse_shape(std::string_view text) {
  Shape shape;
  int axis = 0;
  std::string_view rest = text;
  while (true) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    const auto extent = parse_extent(rest.substr(0, end));
    if (!extent || axis == 3) {
      throw TorusError(fmt::format(
          "'{}' is not a torus shape: one to three extents between 1 and {}, joined by 'x', each "
          "with 'm' behind it where the axis does not wrap around, as in 8x6x8 or 8mx6",
          text, kLargestExtent));
    }
    shape.extent[axis] = extent->nodes;
    shape.wraps[axis] = extent->wraps;
    ++axis;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  const std::int64_t two = std::int64_t{shape.extent[0]} * shape.extent[1];
  if (two > std::numeric_limits<int>::max() / shape.extent[2]) {
    throw TorusError(fmt::format("torus shape '{}' has more than {} nodes", text,
                                 std::numeric_limits<int>::max()));
  }
  return shape;
}

std::string text_of(const Shape& shape) {
  int last = 2;
  while (last > 0 && shape.extent[last] == 1) --last;
  std::string text;
  for (int axis = 0; axis <= last; ++axis) {
    if (axis > 0) text += 'x';
    text += std::to_string(shape.extent[axis]);
    if (!shape.wraps[axis]) text += 'm';
  }
  return text;
}

Shape factored_shape(int nodes, int dimensions) {
  Shape best = Shape::line(nodes);
  auto sum = [](const Shape& shape) {
    return std::int64_t{shape.extent[0]} + shape.extent[1] + shape.extent[2];
  };
  for (int z = 1; std::int64_t{z} * z * z <= nodes; ++z) {
    if (nodes % z != 0 || (z > 1 && dimensions < 3)) continue;
    for (int y = z; std::int64_t{y} * y <= nodes / z; ++y) {
      if (nodes / z % y != 0 || (y > 1 && dimensions < 2)) continue;
      const Shape shape{{nodes / z / y, y, z}, {true, true, true}};
      if (sum(shape) < sum(best)) best = shape;
    }
  }
  return best;
}

TorusView TorusView::in_order(const Shape& shape) {
  TorusView view;
  view.shape = shape;
  return view;
}

TorusView::TorusView(const Shape& the_shape, std::vector<int> position_of) : shape(the_shape) {
  std::vector<int> node_at(position_of.size());
  for (std::size_t node = 0; node < position_of.size(); ++node) {
    node_at[static_cast<std::size_t>(position_of[node])] = static_cast<int>(node);
  }
  node_at_ = IntTable(std::move(node_at));
  position_of_ = IntTable(std::move(position_of));
}

int* TorusView::move_table(int* memory, bool writes) {
  if (table_ints() == 0) return memory;
  return position_of_.move_to(node_at_.move_to(memory, writes), writes);
}

void translate_peers(Plan& plan, const TorusView& view) {
  for (PlanOp& op : plan.ops) op.peer = view.node_at(op.peer);
}

}  // namespace mpiactor::inter
