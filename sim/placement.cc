#include "sim/placement.h"

#include <fmt/format.h>

#include <array>

#include "sim/arguments.h"
#include "sim/machine.h"

namespace mpiactor::sim {
namespace {

struct AxisRange {
  int begin = 0;
  int end = 0;
};

// Which physical axes each axis of the shape winds over.
std::array<AxisRange, 3> group_axes(const inter::Shape& shape, const inter::Shape& physical) {
  std::array<AxisRange, 3> groups;
  int axis = 0;
  for (int own = 0; own < 3; ++own) {
    AxisRange& group = groups[static_cast<std::size_t>(own)];
    group.begin = axis;
    std::int64_t product = 1;
    while (product < shape.extent[own] && axis < 3) product *= physical.extent[axis++];
    group.end = axis;
    if (product != shape.extent[own]) axis = 4;
  }
  while (axis < 3 && physical.extent[axis] == 1) ++axis;
  if (axis != 3) {
    throw InputError(fmt::format(
        "shape {} cannot be laid on the physical shape {}; allowed: each extent is the product of "
        "successive physical extents, as 64x6 on 8x8x6",
        format_shape(shape), format_shape(physical)));
  }
  return groups;
}

// The physical offset of position `at` of a line that winds over the axes of `group`, lowest
// first: every second pass over an axis runs backwards.
std::uint32_t wind(const inter::Shape& physical, const AxisRange& group, std::int64_t at) {
  std::uint32_t offset = 0;
  std::uint32_t stride = 1;
  for (int axis = 0; axis < group.begin; ++axis) {
    stride *= static_cast<std::uint32_t>(physical.extent[axis]);
  }
  for (int axis = group.begin; axis < group.end; ++axis) {
    const int extent = physical.extent[axis];
    const std::int64_t pass = at / extent;
    const std::int64_t step = at % extent;
    offset += stride * static_cast<std::uint32_t>(pass % 2 == 0 ? step : extent - 1 - step);
    stride *= static_cast<std::uint32_t>(extent);
    at = pass;
  }
  return offset;
}

}  // namespace

std::vector<std::uint32_t> place_nodes(const inter::Shape& shape, const inter::Shape& physical) {
  const std::array<AxisRange, 3> groups = group_axes(shape, physical);
  std::vector<std::uint32_t> places;
  places.reserve(static_cast<std::size_t>(shape.nodes()));
  for (int z = 0; z < shape.extent[2]; ++z) {
    for (int y = 0; y < shape.extent[1]; ++y) {
      for (int x = 0; x < shape.extent[0]; ++x) {
        places.push_back(wind(physical, groups[0], x) + wind(physical, groups[1], y) +
                         wind(physical, groups[2], z));
      }
    }
  }
  return places;
}

}  // namespace mpiactor::sim
