// The torus that nodes lie on: MPIACTOR_TORUS.
#ifndef MPIACTOR_ACTOR_CONFIG_TORUS_SPEC_H_
#define MPIACTOR_ACTOR_CONFIG_TORUS_SPEC_H_

#include <string_view>

namespace mpiactor {

// "file:PATH" names a file of coordinates.
inline constexpr std::string_view kTorusFilePrefix = "file:";

// Allowed texts of MPIACTOR_TORUS, for messages.
const char* torus_syntax();

// Throws std::invalid_argument where `text` is malformed (empty is fine).
void check_torus(std::string_view text);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONFIG_TORUS_SPEC_H_
