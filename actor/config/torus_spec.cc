#include "actor/config/torus_spec.h"

#include <stdexcept>

#include "inter/tofu_algos/torus.h"

namespace mpiactor {

const char* torus_syntax() {
  return "8x6x8 (up to three extents, m after one: no wrap-around) | auto (factored from the "
         "number "
         "of nodes) | file:PATH (coordinates of hosts)";
}

void check_torus(std::string_view text) {
  if (text.empty() || text == "auto" ||
      (text.starts_with(kTorusFilePrefix) && text.size() > kTorusFilePrefix.size()))
    return;
  try {
    inter::parse_shape(text);
  } catch (const inter::TorusError& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace mpiactor
