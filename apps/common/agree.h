// One failure, reported once, known to all ranks.
#ifndef MPIACTOR_APPS_COMMON_AGREE_H_
#define MPIACTOR_APPS_COMMON_AGREE_H_

#include <mpi.h>

#include <exception>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace mpiactor::apps {

// Thrown on every rank at once by `agree`; the message has already been printed.
class AgreedFailure : public std::runtime_error {
 public:
  AgreedFailure() : std::runtime_error("a rank failed; its message has been printed") {}
};

// Collective. `error` is this rank's failure, empty for none. Where any rank has failed, the
// lowest such rank prints "PROGRAM: error" on stderr and all ranks throw AgreedFailure together,
// so that nobody waits for a rank that has gone.
void agree(const std::string& program, const std::string& error, MPI_Comm comm);

// Collective. Runs `step` on this rank, turns an exception into its message and agrees on it.
template <typename Step>
void run_agreed(const std::string& program, MPI_Comm comm, Step&& step) {
  std::string error;
  try {
    step();
  } catch (const std::exception& e) {
    error = e.what();
    if (error.empty()) error = "unknown failure";
  }
  agree(program, error, comm);
}

// Collective. Runs each of `steps` by run_agreed(), whatever becomes of the others. Returns whether
// none has failed.
bool run_each_agreed(const std::string& program, MPI_Comm comm,
                     std::initializer_list<std::function<void()>> steps);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_AGREE_H_
