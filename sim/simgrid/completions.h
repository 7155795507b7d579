// Which of a rank's messages are complete, without asking the MPI library time after time.
#ifndef MPIACTOR_SIM_SIMGRID_COMPLETIONS_H_
#define MPIACTOR_SIM_SIMGRID_COMPLETIONS_H_

#include <mpi.h>

#include <vector>

namespace mpiactor::sim {

// One per rank, which uses it in rounds: begin_round(), every open request is tested once, and
// wait() if nothing came of that. What wait() has seen complete is what the tests of the next round
// report. Requests must stay where they are in memory between wait() and the next round's tests.
class Completions {
 public:
  Completions();
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  // Of the calling rank, which must have one.
  static Completions& current();

  void begin_round() { tested_.clear(); }
  // Whether *request is complete; then it becomes MPI_REQUEST_NULL.
  bool test(MPI_Request* request, MPI_Status* status);
  // Until one of the requests tested in this round completes. Simulated time goes on. Throws
  // std::logic_error where there are none.
  void wait();

 private:
  std::vector<MPI_Request*> tested_;  // in this round, and not complete
  std::vector<MPI_Request> handles_;  // scratch
  MPI_Request* completed_ = nullptr;
  MPI_Status status_{};
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_SIMGRID_COMPLETIONS_H_
