// The request of a collective that the runtime runs in the background.
//
// It is a receive of nothing from oneself, on a private communicator of one process. So the MPI
// library starts it, waits for it, tests and frees it as any other, in C and Fortran, together with
// all others. When the collective has ended, an empty message to oneself completes it; a message of
// one byte makes it an error, MPI_ERR_TRUNCATE.
//
// (Generalised requests are made for this, but cannot be started again, and MPICH's completion
// functions fail where null requests stand beside them.)
#ifndef MPIACTOR_ACTOR_INTERPOSE_SELF_REQUEST_H_
#define MPIACTOR_ACTOR_INTERPOSE_SELF_REQUEST_H_

#include <mpi.h>

#include <utility>

namespace mpiactor::interpose {

// What messages to oneself need; once, before the first call.
void initialise_self_requests();
void finalise_self_requests();

// Requests that share a communicator, because they share an error handler.
struct SelfChannel;

// What completes one request. A message to oneself matches its receive at once, so this may go when
// complete() has returned, whether or not the application has waited for the request.
class SelfRequest {
 public:
  // For a call on `comm`, whose error handler of now hears of an error.
  explicit SelfRequest(MPI_Comm comm);
  ~SelfRequest();
  SelfRequest(SelfRequest&& other) noexcept
      : channel_(std::exchange(other.channel_, nullptr)), tag_(other.tag_) {}
  SelfRequest& operator=(SelfRequest&&) = delete;

  // Makes it, active or to be started. The MPI library's error.
  int make_active(MPI_Request* request) const;
  int make_persistent(MPI_Request* request) const;
  // Once for each time that it is active. `error`: MPI_SUCCESS, or anything else.
  void complete(int error) const noexcept;

 private:
  SelfChannel* channel_;
  int tag_;
};

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_SELF_REQUEST_H_
