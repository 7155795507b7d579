// Which container a communicator has, if any.
#ifndef MPIACTOR_ACTOR_CONTAINER_REGISTRY_H_
#define MPIACTOR_ACTOR_CONTAINER_REGISTRY_H_

#include <mpi.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include "actor/container/container.h"

namespace mpiactor {

// What the runtime knows of a communicator.
struct CommState {
  int size = 0;                          // ranks
  int rank = 0;                          // of this process
  int calls_before_container = 0;        // still to be passed on
  bool passed_on = false;                // for good: not handled
  std::shared_ptr<Container> container;  // also of calls under way in the background
  // Of nonblocking calls, so that blocking ones need not wait for them. From the first blocking
  // call without a root on after the first nonblocking one; till then these use `container`.
  std::shared_ptr<Container> nonblocking_container{};
  bool has_nonblocking_calls = false;  // that were handled
  bool has_asked_for_nonblocking_container = false;
};

// Of all communicators.
struct CommStates {
  std::mutex mutex;
  std::unordered_map<MPI_Comm, std::unique_ptr<CommState>> of_comm;
};

// The state of `comm`, made at its first call and dropped when the communicator is freed. nullptr
// where this thread is freeing it. Throws Reported where the MPI library does not know the
// communicator. Several threads may ask for different communicators.
CommState* find_comm_state(MPI_Comm comm);

// The container of `comm`, made on the call after the warm-up ones; nullptr: pass the call on.
// Collective over `comm` like the call that it serves.
Container* find_container(MPI_Comm comm, CommState& state);
// Before a blocking call on `comm`, of `state`: what Container::prepare_blocking_call() does, for
// both containers. Makes that of nonblocking calls, but not where ranks need not wait for all.
void prepare_blocking_call(MPI_Comm comm, CommState& state, bool is_rooted);
// One for a persistent request alone, whose starts have no order among other calls on `comm`. It
// may outlive the communicator. Collective over `comm`; nullptr, on all ranks: pass the request on.
// Who lets go of it waits for nobody.
std::shared_ptr<Container> make_own_container(MPI_Comm comm);

// Before the MPI library frees `comm`, under an Ending.
void forget(MPI_Comm comm);

// Sets up, and tears down, what the two above need. Teardown drains every container.
void initialise_registry();
void finalise_registry();

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_REGISTRY_H_
