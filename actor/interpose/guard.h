// Exceptions end where C begins: applications and the MPI library may be in C.
#ifndef MPIACTOR_ACTOR_INTERPOSE_GUARD_H_
#define MPIACTOR_ACTOR_INTERPOSE_GUARD_H_

#include <exception>
#include <string>

#include "actor/container/world.h"

namespace mpiactor::interpose {

// What an error handler of the program's has thrown.
struct Foreign {
  std::exception_ptr exception;
};

// For calls of the MPI library that may call an error handler of the program's. Where that throws,
// the program means to catch it.
template <typename Call>
auto let_throw(Call call) {
  try {
    return call();
  } catch (...) {
    throw Foreign{std::current_exception()};
  }
}

// What run() returns. An exception ends the job: half of `name` cannot be taken back.
template <typename Run>
auto guard(const char* name, Run run) {
  try {
    return run();
  } catch (const Foreign& foreign) {
    std::rethrow_exception(foreign.exception);
  } catch (const std::exception& error) {
    abort_job(std::string(name) + ": " + error.what());
  }
}

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_GUARD_H_
