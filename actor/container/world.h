// What is known of the job once MPI is initialised: settings that all ranks agree on, where every
// rank is, how to wait.
#ifndef MPIACTOR_ACTOR_CONTAINER_WORLD_H_
#define MPIACTOR_ACTOR_CONTAINER_WORLD_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actor/config/settings.h"
#include "actor/container/places.h"
#include "actor/container/private_comms.h"
#include "actor/container/torus.h"
#include "actor/shm/segment.h"
#include "actor/shm/wait.h"
#include "inter/notices.h"
#include "inter/tuning.h"

namespace mpiactor {

struct World {
  Settings settings;
  // Some rank has a reason to leave all calls to the MPI library: then the rest is not made.
  bool stands_aside = false;
  // A session of MPI's has begun on this rank since MPI_Init.
  std::atomic<bool> has_sessions{false};
  shm::Segment tables;   // what of the next two the machine's ranks share
  Places places;         // of every rank of MPI_COMM_WORLD
  Torus torus;           // MPIACTOR_TORUS
  inter::Tuning tuning;  // MPIACTOR_TUNING, or the defaults
  int rank = 0;
  int ranks_on_machine = 1;  // that share this machine's memory, pretended nodes or not
  int cores = 1;             // that these ranks may use
  int machines = 1;
  // Some machine has more ranks than cores, or MPIACTOR_WAIT says that ranks shall give way as if;
  // equal on all ranks.
  bool crowded = false;
  shm::WaitPolicy wait;
  MPI_Comm comm = MPI_COMM_NULL;  // all ranks, errors returned: the runtime's own
  std::unique_ptr<PrivateComms> private_comms;
  MPI_Comm self_comm = MPI_COMM_NULL;  // size 1, errors returned: for checking arguments
  // Some rank has a GPU's driver, so buffers may lie in a GPU's memory; equal on all
  // ranks.
  bool device_memory = false;
  bool background = false;  // background calls are possible; equal on all ranks
  // Longest message between nodes that the MPI library sends at once, where that was tried; equal
  // on all ranks.
  std::optional<std::uint64_t> eager_bytes;
  bool large_tags = false;                  // the MPI library allows the engine's tags
  std::unique_ptr<inter::Notices> notices;  // nullptr on one node
};

// Collective over MPI_COMM_WORLD, right after MPI is initialised. Stops the job with one message
// where a setting is wrong.
// `stands_aside`: whether this rank has a reason to; asked when all ranks are in MPI_Init.
void initialise_world(const std::function<bool()>& stands_aside = [] { return false; });
void finalise_world();

// nullptr before initialise_world() and after finalise_world().
World* world();

// "mpiactor: ..." on standard error, from this rank, whatever the settings say.
void print_line(const std::string& text);
// The same where the settings want it.
void say(Verbosity at_least, const std::string& text);

// Ends the job with a message.
[[noreturn]] void abort_job(const std::string& text);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_WORLD_H_
