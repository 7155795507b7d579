// A communicator that is being freed.
#ifndef MPIACTOR_ACTOR_COMM_ENDING_H_
#define MPIACTOR_ACTOR_COMM_ENDING_H_

#include <mpi.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>

// What glibc's longjmp() calls of the frames that it leaves; declared nowhere since C has macros.
extern "C" {
void _pthread_cleanup_push(_pthread_cleanup_buffer* buffer, void (*routine)(void*), void* argument);
void _pthread_cleanup_pop(_pthread_cleanup_buffer* buffer, int execute);
}

namespace mpiactor {

// While it lives, this thread is freeing `comm`, which may fail. Delete callbacks of the
// application may use it then, on some ranks after its attributes have gone: all calls are passed
// on, and none is traced. One that was not freed begins anew.
//
// The thread's own: as soon as the MPI library has freed a communicator, another thread may make
// one with the same handle.
//
// An error handler may leave MPI_Comm_free by longjmp(): the mark goes then, too.
class Ending {
 public:
  explicit Ending(MPI_Comm comm) : outer_marks_(marks_) {
    if (marks_ < kMostMarks) comms_[marks_++] = comm;
    const auto end = [](void* mark) { marks_ = static_cast<Ending*>(mark)->outer_marks_; };
    _pthread_cleanup_push(&left_by_jump_, end, this);
  }
  ~Ending() {
    _pthread_cleanup_pop(&left_by_jump_, 0);
    marks_ = outer_marks_;
  }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  // Whether this thread is freeing it.
  static bool is_of(MPI_Comm comm) {
    const auto end = comms_.begin() + static_cast<std::ptrdiff_t>(marks_);
    return std::find(comms_.begin(), end, comm) != end;
  }

 private:
  static constexpr std::size_t kMostMarks = 64;
  static inline thread_local std::array<MPI_Comm, kMostMarks> comms_;
  static inline thread_local std::size_t marks_ = 0;

  const std::size_t outer_marks_;  // callbacks may free others
  _pthread_cleanup_buffer left_by_jump_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COMM_ENDING_H_
