// Exceptions end where C begins: applications and the MPI library may be in C.
#ifndef MPIACTOR_ACTOR_INTERPOSE_GUARD_H_
#define MPIACTOR_ACTOR_INTERPOSE_GUARD_H_

#include <exception>
#include <string>

#include "actor/abi/error_handlers.h"
#include "actor/container/world.h"

namespace mpiactor::interpose {

// What run() returns. An exception ends the job: half of `name` cannot be taken back.
template <typename Run>
auto guard(const char* name, Run run) {
  try {
    return run();
  } catch (const Foreign& foreign) {
    std::rethrow_exception(foreign.exception);
  } catch (const Reported& reported) {
    return static_cast<decltype(run())>(reported.error);
  } catch (const std::exception& error) {
    abort_job(std::string(name) + ": " + error.what());
  }
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_GUARD_H_
