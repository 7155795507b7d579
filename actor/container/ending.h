// A communicator that is being freed.
#ifndef MPIACTOR_ACTOR_CONTAINER_ENDING_H_
#define MPIACTOR_ACTOR_CONTAINER_ENDING_H_

#include <mpi.h>

#include <utility>

namespace mpiactor {

// While it lives, this thread is freeing `comm`, which may fail. Delete callbacks of the
// application may use it then, on some ranks after its attributes have gone: all calls are passed
// on, and none is traced. One that was not freed begins anew.
//
// The thread's own: as soon as the MPI library has freed a communicator, another thread may make
// one with the same handle.
class Ending {
 public:
  explicit Ending(MPI_Comm comm) : comm_(comm), outer_(std::exchange(innermost_, this)) {}
  ~Ending() { innermost_ = outer_; }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  // Whether this thread is freeing it.
  static bool is_of(MPI_Comm comm) {
    for (const Ending* ending = innermost_; ending; ending = ending->outer_) {
      if (ending->comm_ == comm) return true;
    }
    return false;
  }

 private:
  static inline thread_local const Ending* innermost_ = nullptr;

  const MPI_Comm comm_;
  const Ending* const outer_;  // callbacks may free others
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_ENDING_H_
