// Calls of the MPI library that may call an error handler, or a reduction, of the program's.
#ifndef MPIACTOR_ACTOR_ABI_ERROR_HANDLERS_H_
#define MPIACTOR_ACTOR_ABI_ERROR_HANDLERS_H_

#include <cxxabi.h>

#include <exception>

namespace mpiactor {

// What the program's code has thrown.
struct Foreign {
  std::exception_ptr exception;
};

// An error of which the handler knows already; what the program's call returns.
struct Reported {
  int error;
};

// Where that throws, the program means to catch it. A thread that ends itself there
// (pthread_exit) goes on doing so.
template <typename Call>
auto let_throw(Call call) {
  try {
    return call();
  } catch (__cxxabiv1::__forced_unwind&) {
    throw;
  } catch (...) {
    const std::exception_ptr exception = std::current_exception();
    if (!exception) throw;  // another language's, or another C++ library's
    throw Foreign{exception};
  }
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_ABI_ERROR_HANDLERS_H_
