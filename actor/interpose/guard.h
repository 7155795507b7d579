// Exceptions end where C begins: applications and the MPI library may be in C.
#ifndef MPIACTOR_ACTOR_INTERPOSE_GUARD_H_
#define MPIACTOR_ACTOR_INTERPOSE_GUARD_H_

#include <exception>
#include <string>

#include "actor/container/world.h"

namespace mpiactor::interpose {

// What run() returns. An exception ends the job: half of `name` cannot be taken back.
template <typename Run>
auto guard(const char* name, Run run) {
  try {
    return run();
  } catch (const std::exception& error) {
    abort_job(std::string(name) + ": " + error.what());
  }
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_GUARD_H_
