#include "actor/interpose/lifetime.h"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "actor/abi/handles.h"
#include "actor/background/background.h"
#include "actor/buffers/message.h"
#include "actor/collectives/operation.h"
#include "actor/comm/ending.h"
#include "actor/container/launcher.h"
#include "actor/container/progress.h"
#include "actor/container/registry.h"
#include "actor/container/world.h"
#include "actor/interpose/guard.h"
#include "actor/interpose/hearing.h"
#include "actor/interpose/interpose.h"
#include "actor/interpose/modules.h"
#include "actor/interpose/self_request.h"
#include "actor/reduction/reduction.h"
#include "actor/trace/communicators.h"
#include "actor/trace/counters.h"
#include "actor/trace/recorder.h"
#include "actor/version.h"
#include "inter/peer_buffers.h"

namespace mpiactor::interpose {
namespace {

std::atomic<bool> active{false};
std::atomic<LeaderMode> mode{LeaderMode::kCompetitive};
std::atomic<bool> begun{false};
constinit std::mutex starting;  // the end of begin(), and MPI_Session_init
bool has_sessions = false;      // from before

// Whether the program's MPI library is one that the runtime is built for. This call has the same
// form in every MPI library. A library that wraps another one names that in further lines.
bool has_own_abi(std::string& library) {
  if (!find_symbol("PMPI_Get_library_version")) {
    library = "this MPI library";
    return false;
  }
  char text[8192] = "";  // as long as any library's
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::replace(text, text + length, '\t', ' ');
  library.assign(text, 0, std::string_view(text).find_first_of("\n,"));
  if (file_of(find_symbol("PMPI_Init")).find("libmpi_abi") != std::string::npos) {
    library += " by MPI's own ABI";
    return false;
  }
  for (const std::string_view name : kLibraries) {
    if (library.find(name) != std::string::npos) return true;
  }
  return false;
}

// Where MPI's own functions cannot be called.
bool may_be_rank_0() {
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* const rank = getenv(name)) return std::string_view(rank) == "0";
  }
  return true;
}

// Whether the program outlives the death of ranks (Open MPI 5 by `mpirun --with-ft`): calls shall
// end with an error then, on a communicator that has been revoked, too.
bool outlives_deaths() {
  const auto* const is_enabled = static_cast<const bool*>(find_symbol("ompi_ftmpi_enabled"));
  return is_enabled && *is_enabled;
}

// Why this rank wants all calls left to the MPI library, or nullptr.
const char* reason_to_stand_aside() {
  // Receives of a session's communicator that has been freed could take messages of the runtime's.
  if (has_sessions) return "MPI_Session_init was called before MPI_Init";
  if (outlives_deaths()) return "the MPI library's fault tolerance is on";
  return nullptr;
}

template <typename... Handle>
void use(Handle...) {}

// Those of an MPI library whose handles are found at their first use (abi/openmpi/mpi.h): as for
// functions, that may come while another thread is in dlopen(). Types and operations have a table.
void find_handles() {
  use(MPI_REQUEST_NULL, MPI_MESSAGE_NULL, MPI_MESSAGE_NO_PROC, MPI_COMM_NULL, MPI_COMM_WORLD,
      MPI_COMM_SELF, MPI_GROUP_NULL, MPI_INFO_NULL, MPI_ERRHANDLER_NULL, MPI_ERRORS_ARE_FATAL,
      MPI_ERRORS_RETURN, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_BYTE, MPI_PACKED,
      is_predefined(MPI_ERRHANDLER_NULL));
}

const char* name_of(LeaderMode leader) {
  switch (leader) {
    case LeaderMode::kCompetitive:
      return "competitive";
    case LeaderMode::kStatic:
      return "static";
    case LeaderMode::kOff:
      return "off";
  }
  return "";
}

void announce_start() {
  const World& w = *world();
  if (w.rank != 0) return;
  const NodeLayout& nodes = w.places.layout();
  say(Verbosity::kInfo,
      std::string(kVersion) + ": leader " + name_of(w.settings.leader) + ", " +
          std::to_string(nodes.ranks()) + " ranks on " + std::to_string(nodes.nodes()) +
          " nodes (" + std::to_string(w.machines) + " machines), bcast " + w.settings.bcast +
          ", staging " + format_bytes(w.settings.shm_limit_bytes) +
          (w.eager_bytes ? ", sent at once up to " + format_bytes(*w.eager_bytes) : std::string()) +
          ", waiting ranks " + (w.wait.give_way ? "give way" : "spin"));
  if (w.device_memory) {
    say(Verbosity::kInfo,
        "a GPU's driver is loaded: calls with a buffer in a GPU's memory go to the MPI "
        "library, and all nonblocking and persistent ones");
  }
}

// Without shared memory nothing can be handled.
LeaderMode starting_mode() {
  const Settings& settings = world()->settings;
  return settings.shm_limit_bytes == 0 ? LeaderMode::kOff : settings.leader;
}

void start_trace() {
  const World& w = *world();
  if (w.settings.trace.empty()) return;
  const std::string why = trace::start_recording({.path = w.settings.trace,
                                                  .leader = name_of(leader_mode()),
                                                  .version_text = kVersion,
                                                  .node = w.places.of(w.rank).node});
  if (!why.empty()) say(Verbosity::kWarn, "MPIACTOR_TRACE: " + why + "; nothing is recorded");
}

// What MPIACTOR_MEMORY has come to.
std::string memory_use() {
  const inter::PeerBuffers::Statistics& use = inter::PeerBuffers::statistics();
  return std::string("rank 0: memory ") + (world()->settings.memory.saving ? "saving" : "fast") +
         ": at most " + std::to_string(use.most_large_peers) + " peers with large buffers (" +
         std::to_string(use.large_uses) + " uses, " + std::to_string(use.small_uses) +
         " of small ones); at most " + std::to_string(use.most_intake_bytes) +
         " bytes taken in before they were combined";
}

void end_once() {
  if (!active.exchange(false)) return;
  end_watching_launcher();
  if (const std::string lost = trace::stop_recording(); !lost.empty()) {
    say(Verbosity::kWarn, "MPIACTOR_TRACE: " + lost);
  }
  finalise_persistent();
  finalise_registry();
  finalise_self_requests();
  background::release_idle_stacks();
  finalise_messages();
  if (world()->rank == 0) {
    if (world()->settings.memory.is_limited()) say(Verbosity::kInfo, memory_use());
    if (const std::string counted = rules_counted(); !counted.empty()) {
      say(Verbosity::kInfo, "rank 0: blocking calls by rule: " + counted);
    }
    say(Verbosity::kInfo, trace::summary(0));
  }
  finalise_world();
  end_hearing_progress();
  FoundFunction::forget_all();
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF first, however it is called (Fortran's
// bindings call PMPI_Finalize directly).
void call_at_finalize(MPI_Comm_delete_attr_function* function) {
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);
}

int end(MPI_Comm, int, void*, void*) {
  guard("MPI_Finalize", end_once);
  return MPI_SUCCESS;
}

// Where nothing is handled: the program may unload the library, and load it again elsewhere.
int forget_library(MPI_Comm, int, void*, void*) {
  FoundFunction::forget_all();
  return MPI_SUCCESS;
}

void begin_once() {
  if (begun.exchange(true)) return;
  FoundFunction::find_all();
  std::string library;
  if (!has_own_abi(library)) {
    if (may_be_rank_0()) {
      print_line(library + " does not have " + std::string(kAbi) +
                 "; all calls are passed through");
    }
    return;
  }
  find_handles();
  begin_hearing_progress();
  // So a session's MPI_Session_init in another thread does not wait long.
  std::unique_lock<std::mutex> lock(starting, std::defer_lock);
  const char* reason = nullptr;
  initialise_world([&] {
    lock.lock();
    reason = reason_to_stand_aside();
    return reason != nullptr;
  });
  const auto leave_to_library = [](const char* why) {
    if (world()->rank == 0) {
      say(Verbosity::kInfo, std::string(why) + ": all calls go to the MPI library");
    }
    finalise_world();
    end_hearing_progress();
    call_at_finalize(forget_library);
  };
  mode = starting_mode();
  if (mode == LeaderMode::kOff && world()->settings.trace.empty()) return leave_to_library("off");
  if (world()->stands_aside) {
    return leave_to_library(reason ? reason : "another rank has a reason to stand aside");
  }
  initialise_messages();
  // Makes the table of all types: later that might wait for a communicator that another thread
  // makes.
  Reduction::find(MPI_SUM, MPI_INT);
  initialise_registry();
  if (world()->background) initialise_self_requests();
  call_at_finalize(end);
  announce_start();
  start_trace();
  begin_watching_launcher();
  active = true;
}

}  // namespace

void begin() { guard("MPI_Init", begin_once); }

void note_session() {
  const std::lock_guard<std::mutex> lock(starting);
  if (!is_active()) {
    has_sessions = true;
    return;
  }
  world()->has_sessions = true;
  background::hold_signals(true);  // whose threads may be others
}

bool is_active() { return active.load(std::memory_order_acquire); }

void before_a_look() {
  if (!is_active()) return;
  guard("MPI_Iprobe", [] { look_at_network(); });
}

long say_missing(const char* name) {
  std::string library;
  has_own_abi(library);
  print_line(std::string(name) + ": " + library + " does not have this function");
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

int end_communicator(void* comm, int (*library)(void*)) {
  const auto* const handle = static_cast<const MPI_Comm*>(comm);
  // The MPI library's errors, which may be of this rank alone.
  if (!handle || *handle == MPI_COMM_NULL || *handle == MPI_COMM_WORLD ||
      *handle == MPI_COMM_SELF) {
    return library(comm);
  }
  const MPI_Comm ending = *handle;
  const Ending mark(ending);
  trace::forget(ending);
  forget(ending);
  return library(comm);
}

LeaderMode leader_mode() { return mode.load(std::memory_order_relaxed); }

void set_leader_mode(LeaderMode new_mode) { mode.store(new_mode, std::memory_order_relaxed); }

}  // namespace mpiactor::interpose

// For benchmarks that compare policies within one run: "competitive", "static" or "off" from the
// next call on. Every rank calls it at the same place between collectives. 0, or -1 where the name
// is another one or the runtime is not active.
extern "C" __attribute__((visibility("default"))) int mpiactor_set_leader(const char* name) {
  using mpiactor::LeaderMode;
  if (!name || !mpiactor::interpose::is_active()) return -1;
  if (mpiactor::interpose::starting_mode() == LeaderMode::kOff) return -1;
  for (const LeaderMode mode : {LeaderMode::kCompetitive, LeaderMode::kStatic, LeaderMode::kOff}) {
    if (std::string_view(name) != mpiactor::interpose::name_of(mode)) continue;
    mpiactor::interpose::set_leader_mode(mode);
    return 0;
  }
  return -1;
}
