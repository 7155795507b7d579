// Which container a communicator has, if any.
#ifndef MPIACTOR_ACTOR_CONTAINER_REGISTRY_H_
#define MPIACTOR_ACTOR_CONTAINER_REGISTRY_H_

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "actor/container/container.h"

namespace mpiactor {

// The containers of a communicator's nonblocking calls, which take them in turn: blocking calls
// need not wait for them, and those under way at a time not for each other.
struct Lanes {
  std::vector<std::shared_ptr<Container>> containers{};
  bool reduce_only = false;  // for good: other calls go to the MPI library
  std::uint64_t calls = 0;   // that were handled
  bool has_queue = false;    // on this rank: a call began while another one had its lane
  // From so many calls on, ranks shall agree how many lanes they make.
  std::uint64_t calls_to_agree = 1;

  // Of the next call; nullptr where there are no lanes.
  std::shared_ptr<Container> next() const {
    return containers.empty() ? nullptr : containers[calls % containers.size()];
  }
};

// What the runtime knows of a communicator.
struct CommState {
  int size = 0;                          // ranks
  int rank = 0;                          // of this process
  int calls_before_container = 0;        // still to be passed on
  bool passed_on = false;                // for good: not handled
  std::shared_ptr<Container> container;  // also of calls under way in the background
  // From the first blocking call without a root on after the first nonblocking one; till then
  // nonblocking calls use `container`.
  Lanes lanes{};
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
// all its containers. Makes those of nonblocking calls, but not where ranks need not wait for all.
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
