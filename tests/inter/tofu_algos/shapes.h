// Shapes to test with.
#ifndef MPIACTOR_TESTS_INTER_TOFU_ALGOS_SHAPES_H_
#define MPIACTOR_TESTS_INTER_TOFU_ALGOS_SHAPES_H_

#include <string>
#include <vector>

#include "inter/plan.h"
#include "inter/routes.h"

namespace mpiactor::inter {

inline Shape shape_of(int x, int y, int z, bool wrap_x = true, bool wrap_y = true,
                      bool wrap_z = true) {
  return Shape{{x, y, z}, {wrap_x, wrap_y, wrap_z}};
}

inline std::string name_of(const Shape& shape) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    text += std::to_string(shape.extent[axis]) + (shape.wraps[axis] ? " " : "m ");
  }
  return text;
}

// All shapes with extents up to `largest`, every axis with and without wrap-around.
inline std::vector<Shape> all_shapes(int largest) {
  std::vector<Shape> shapes;
  for (int x = 1; x <= largest; ++x) {
    for (int y = 1; y <= largest; ++y) {
      for (int z = 1; z <= largest; ++z) {
        for (unsigned wraps = 0; wraps < 8; ++wraps) {
          shapes.push_back(shape_of(x, y, z, (wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0));
        }
      }
    }
  }
  return shapes;
}

// Sum over the axes of floor(log2 extent).
inline int log_depth(const Shape& shape) {
  int sum = 0;
  for (int extent : shape.extent) {
    while (extent > 1) {
      extent /= 2;
      ++sum;
    }
  }
  return sum;
}

inline int longest_way(const Shape& shape) {
  return shape.extent[0] + shape.extent[1] + shape.extent[2] - 3;
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_TESTS_INTER_TOFU_ALGOS_SHAPES_H_
