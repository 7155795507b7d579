// The torus that the nodes of a job lie on, as MPIACTOR_TORUS says it.
#ifndef MPIACTOR_ACTOR_CONTAINER_TORUS_H_
#define MPIACTOR_ACTOR_CONTAINER_TORUS_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "actor/container/node_map.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor {

struct Torus {
  bool factored = false;                             // "auto"
  std::optional<inter::Shape> shape;                 // "8x6x8"
  std::optional<inter::CoordinateFile> coordinates;  // "file:PATH"
  std::map<int, std::string> hosts;                  // of the nodes in Place; with coordinates

  // `file_text`: what the file holds, for "file:PATH". Throws std::invalid_argument.
  static Torus parse(std::string_view text, const std::string& file_text);
};

// Where the nodes of a communicator lie: on the torus where they fill it (or a box of it), else on
// a line. The same on every rank.
inter::TorusView torus_view(const Torus& torus, std::span<const Place> places,
                            const NodeMap& nodes);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_TORUS_H_
