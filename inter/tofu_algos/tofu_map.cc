#include "inter/tofu_algos/tofu_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "inter/tofu_algos/ladder.h"

namespace mpiactor::inter {

std::int64_t TofuMachine::nodes() const {
  return std::accumulate(extent.begin(), extent.end(), std::int64_t{1}, std::multiplies<>());
}

bool TofuMachine::contains(const TofuNode& node) const {
  for (std::size_t axis = 0; axis < kTofuAxes; ++axis) {
    if (node[axis] < 0 || node[axis] >= extent[axis]) return false;
  }
  return true;
}

bool TofuMachine::neighbours(const TofuNode& a, const TofuNode& b) const {
  int hops = 0;
  for (std::size_t axis = 0; axis < kTofuAxes; ++axis) {
    const int apart = std::abs(a[axis] - b[axis]);
    hops += wraps[axis] ? std::min(apart, extent[axis] - apart) : apart;
  }
  return hops == 1;
}

std::string text_of(const TofuMachine& machine) {
  return fmt::format("{}", fmt::join(machine.extent, "x"));
}

std::string text_of(const TofuNode& node) { return fmt::format("({})", fmt::join(node, ",")); }

namespace {

constexpr int kUnused = 3;  // virtual axis of a physical one that none takes
// Choices of how to leave out the failed nodes that are tried before giving up.
constexpr int kMostAttempts = 20'000;

struct AxisChoice {
  std::array<int, kTofuAxes> virtual_axis = {};
  std::int64_t spare_nodes = 0;  // that the axes' grids have more than is asked
};

// The grid that some physical axes span, as a ladder: `spine` is walked to and fro, first axis
// fastest, and gives the columns; `rung` is the last axis, or there is none.
class Grid {
 public:
  Grid(const TofuMachine& machine, std::vector<int> spine, std::optional<int> rung)
      : machine_(machine), spine_(std::move(spine)), rung_(rung) {}

  std::vector<int> physical() const {
    std::vector<int> axes = spine_;
    if (rung_) axes.push_back(*rung_);
    return axes;
  }

  std::optional<std::vector<std::vector<int>>> walk(int length, bool closed,
                                                    const std::vector<TofuNode>& left_out) const {
    const std::unordered_set<int> blocked = blocked_points(left_out);
    Ladder ladder;
    ladder.rungs = rung_ ? extent(*rung_) : 1;
    ladder.rungs_wrap =
        rung_ && ladder.rungs > 2 && machine_.wraps[static_cast<std::size_t>(*rung_)];
    ladder.columns = columns();
    ladder.columns_wrap = spine_.size() == 1 && ladder.columns > 2 &&
                          machine_.wraps[static_cast<std::size_t>(spine_[0])];
    ladder.blocked = [&](int column, int rung) {
      return blocked.contains(column * ladder.rungs + rung);
    };
    const auto points = walk_on(ladder, length, closed);
    if (!points) return std::nullopt;
    std::vector<std::vector<int>> coordinates;
    for (const LadderPoint& point : *points) {
      std::vector<int> at = spine_coordinates(point.column);
      if (rung_) at.push_back(point.rung);
      coordinates.push_back(std::move(at));
    }
    return coordinates;
  }

 private:
  int extent(int axis) const { return machine_.extent[static_cast<std::size_t>(axis)]; }

  int columns() const {
    int product = 1;
    for (int axis : spine_) product *= extent(axis);
    return product;
  }

  std::vector<int> spine_coordinates(int column) const {
    std::vector<int> at(spine_.size());
    int row = column;
    for (std::size_t i = 0; i < spine_.size(); ++i) {
      const int n = extent(spine_[i]);
      const int place = row % n;
      row /= n;
      at[i] = row % 2 == 0 ? place : n - 1 - place;
    }
    return at;
  }

  int column_of(const TofuNode& node) const {
    int column = 0;
    for (std::size_t i = spine_.size(); i-- > 0;) {
      const int n = extent(spine_[i]);
      const int at = node[static_cast<std::size_t>(spine_[i])];
      column = column * n + (column % 2 == 0 ? at : n - 1 - at);
    }
    return column;
  }

  std::unordered_set<int> blocked_points(const std::vector<TofuNode>& left_out) const {
    std::unordered_set<int> points;
    for (const TofuNode& node : left_out) {
      const int rungs = rung_ ? extent(*rung_) : 1;
      points.insert(column_of(node) * rungs + (rung_ ? node[static_cast<std::size_t>(*rung_)] : 0));
    }
    return points;
  }

  const TofuMachine& machine_;
  std::vector<int> spine_;
  std::optional<int> rung_;
};

struct LaidAxis {
  std::vector<int> physical;
  std::vector<std::vector<int>> walk;
};

std::optional<LaidAxis> lay_axis(const TofuMachine& machine, const std::vector<int>& axes,
                                 int length, bool closed, const std::vector<TofuNode>& left_out) {
  auto attempt = [&](std::vector<int> spine, std::optional<int> rung) -> std::optional<LaidAxis> {
    const Grid grid(machine, std::move(spine), rung);
    auto walk = grid.walk(length, closed, left_out);
    if (!walk) return std::nullopt;
    return LaidAxis{grid.physical(), std::move(*walk)};
  };
  // The last axes are the short ones, and the better rungs.
  for (std::size_t i = axes.size(); i-- > 0;) {
    const int extent = machine.extent[static_cast<std::size_t>(axes[i])];
    if (extent != 2 && extent != 3) continue;
    std::vector<int> spine = axes;
    spine.erase(spine.begin() + static_cast<std::ptrdiff_t>(i));
    if (auto laid = attempt(spine, axes[i])) return laid;
  }
  return attempt(axes, std::nullopt);
}

// All ways to give the physical axes to virtual ones that have room, tightest first.
std::vector<AxisChoice> axis_choices(const TofuMachine& machine, const Shape& shape) {
  std::vector<AxisChoice> choices;
  for (int code = 0; code < 4096; ++code) {
    AxisChoice choice;
    std::array<std::int64_t, 4> room = {1, 1, 1, 1};
    int rest = code;
    bool sensible = true;
    for (std::size_t axis = 0; axis < kTofuAxes; ++axis) {
      const int to = rest % 4;
      rest /= 4;
      choice.virtual_axis[axis] = to;
      room[static_cast<std::size_t>(to)] *= machine.extent[axis];
      // An axis of one node belongs to none, nor does a virtual axis of one node take any.
      const bool takes = to != kUnused;
      sensible = sensible && !(takes && (machine.extent[axis] == 1 || shape.extent[to] == 1));
    }
    for (std::size_t to = 0; to < 3; ++to) {
      sensible = sensible && room[to] >= shape.extent[to];
      choice.spare_nodes += room[to] - shape.extent[to];
    }
    if (sensible) choices.push_back(choice);
  }
  std::stable_sort(choices.begin(), choices.end(), [](const AxisChoice& a, const AxisChoice& b) {
    return a.spare_nodes < b.spare_nodes;
  });
  return choices;
}

// One choice of axes: walks for the virtual axes, with each failed node left out of one of them.
class Layout {
 public:
  Layout(const TofuMachine& machine, const Shape& shape, std::span<const TofuNode> failed,
         const AxisChoice& choice, int& attempts)
      : machine_(machine), shape_(shape), failed_(failed), attempts_(attempts) {
    for (int axis = 0; axis < kTofuAxes; ++axis) {
      const int to = choice.virtual_axis[static_cast<std::size_t>(axis)];
      if (to == kUnused) {
        unused_.push_back(static_cast<std::size_t>(axis));
      } else {
        groups_[static_cast<std::size_t>(to)].push_back(axis);
      }
    }
  }

  bool lay() {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!lay_one(i, {})) return false;
    }
    return leave_out({}, {}, {});
  }

  const LaidAxis& axis(std::size_t index) const { return laid_[index]; }

 private:
  using Lists = std::vector<TofuNode>;

  bool lay_one(std::size_t index, const Lists& left_out) {
    if (shape_.extent[index] == 1) {
      laid_[index] = {{}, {{}}};
      return true;
    }
    if (++attempts_ > kMostAttempts) return false;
    auto found =
        lay_axis(machine_, groups_[index], shape_.extent[index], shape_.wraps[index], left_out);
    if (!found) return false;
    laid_[index] = std::move(*found);
    return true;
  }

  bool leave_out(const Lists& x, const Lists& y, const Lists& z) {
    const TofuNode* included = first_included();
    if (included == nullptr) return true;
    std::array<Lists, 3> lists = {x, y, z};
    for (std::size_t i = 0; i < 3; ++i) {
      if (shape_.extent[i] == 1) continue;
      const LaidAxis before = laid_[i];
      lists[i].push_back(*included);
      if (lay_one(i, lists[i]) && leave_out(lists[0], lists[1], lists[2])) return true;
      lists[i].pop_back();
      laid_[i] = before;
    }
    return false;
  }

  const TofuNode* first_included() const {
    for (const TofuNode& node : failed_) {
      bool included = std::all_of(unused_.begin(), unused_.end(),
                                  [&](std::size_t axis) { return node[axis] == 0; });
      for (const LaidAxis& laid : laid_) {
        if (!included) break;
        std::vector<int> at;
        for (int axis : laid.physical) at.push_back(node[static_cast<std::size_t>(axis)]);
        included = std::find(laid.walk.begin(), laid.walk.end(), at) != laid.walk.end();
      }
      if (included) return &node;
    }
    return nullptr;
  }

  const TofuMachine& machine_;
  const Shape& shape_;
  std::span<const TofuNode> failed_;
  int& attempts_;
  std::array<std::vector<int>, 3> groups_;
  std::vector<std::size_t> unused_;
  std::array<LaidAxis, 3> laid_;
};

std::optional<std::array<LaidAxis, 3>> find_layout(const TofuMachine& machine, const Shape& shape,
                                                   std::span<const TofuNode> failed) {
  int attempts = 0;
  for (const AxisChoice& choice : axis_choices(machine, shape)) {
    Layout layout(machine, shape, failed, choice, attempts);
    if (layout.lay()) return std::array{layout.axis(0), layout.axis(1), layout.axis(2)};
    if (attempts > kMostAttempts) break;
  }
  return std::nullopt;
}

std::string why_not(const TofuMachine& machine, const Shape& shape,
                    std::span<const TofuNode> failed) {
  if (axis_choices(machine, shape).empty()) {
    return "no way to share out the six axes gives every virtual axis enough nodes";
  }
  Shape mesh = shape;
  std::fill(mesh.wraps, mesh.wraps + 3, false);
  if (find_layout(machine, shape, {})) {
    std::vector<std::string> names;
    for (const TofuNode& node : failed) names.push_back(text_of(node));
    return fmt::format("the failed nodes {} cannot all be left out: the shape takes up too much",
                       fmt::join(names, " "));
  }
  if (find_layout(machine, mesh, failed)) {
    return "not every axis can be closed to a ring; with 'm' after an extent (no wrap-around) it "
           "would fit";
  }
  return "no walk from neighbour to neighbour has the asked lengths";
}

}  // namespace

TofuMap::TofuMap(const TofuMachine& machine, const Shape& shape, std::span<const TofuNode> failed)
    : shape_(shape) {
  const std::string what =
      fmt::format("a virtual torus of {}x{}x{} on the Tofu network of {}", shape.extent[0],
                  shape.extent[1], shape.extent[2], text_of(machine));
  for (const TofuNode& node : failed) {
    if (!machine.contains(node)) {
      throw TofuMapError(
          fmt::format("{}: the failed node {} is not one of its nodes", what, text_of(node)));
    }
  }
  const std::int64_t usable = machine.nodes() - static_cast<std::int64_t>(failed.size());
  if (shape.nodes() > usable) {
    throw TofuMapError(fmt::format("{}: {} nodes are asked for, {} are there, {} of them failed",
                                   what, shape.nodes(), machine.nodes(), failed.size()));
  }
  auto found = find_layout(machine, shape, failed);
  if (!found) throw TofuMapError(what + ": " + why_not(machine, shape, failed));
  for (std::size_t i = 0; i < 3; ++i) {
    axes_[i] = {std::move((*found)[i].physical), std::move((*found)[i].walk)};
  }
}

TofuNode TofuMap::node_at(int position) const {
  TofuNode node = elsewhere_;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<int>& at =
        axes_[i].walk[static_cast<std::size_t>(position % shape_.extent[i])];
    for (std::size_t j = 0; j < at.size(); ++j) {
      node[static_cast<std::size_t>(axes_[i].physical[j])] = at[j];
    }
    position /= shape_.extent[i];
  }
  return node;
}

}  // namespace mpiactor::inter
