// MPIACTOR_TORUS: a shape, "auto" or a file's name.
#include <algorithm>
#include <stdexcept>

#include "actor/config/torus_spec.h"
#include "inter/tofu_algos/torus.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string_view text = fuzz::text_of(data, bytes);
  const bool allowed = fuzz::takes<std::invalid_argument>([&] { check_torus(text); });
  fuzz::takes<inter::TorusError>([&] {
    const inter::Shape shape = inter::parse_shape(text);
    fuzz::require(allowed, "a shape is allowed");
    fuzz::require(shape.nodes() >= 1 && shape.nodes() < 1LL << 31, "nodes fit an int");
    const inter::Shape again = inter::parse_shape(inter::text_of(shape));
    fuzz::require(std::equal(shape.extent, shape.extent + 3, again.extent),
                  "shapes can be printed");
  });
  return 0;
}
