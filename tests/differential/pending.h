// Calls that are under way, and the ways in which MPI completes them.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_PENDING_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_PENDING_H_

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "tests/differential/call.h"
#include "tests/differential/step.h"

namespace differential {

class Pending {
 public:
  // The call's request is active; the call is checked when it has been completed.
  void add(std::shared_ptr<Call> call);
  // Completes some of what is pending, as this rank's own generator says.
  void complete_some(Step& step);
  void complete_all(Step& step);
  // All that was begun on a communicator, or one call of it.
  void complete_of(Step& step, const Communicator* communicator);
  void complete(Step& step, const Call* call);
  // The communicator is being freed while its calls go on.
  void forget(const Communicator* communicator);

  bool empty() const { return calls_.empty(); }
  std::size_t size() const { return calls_.size(); }

 private:
  void complete_those(Step& step, const std::function<bool(const Call&)>& wanted);
  void complete_batch(Step& step, std::vector<std::shared_ptr<Call>> batch);

  std::vector<std::shared_ptr<Call>> calls_;
};

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_PENDING_H_
