#include "actor/container/registry.h"

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actor/abi/error_handlers.h"
#include "actor/comm/agreement.h"
#include "actor/comm/ending.h"
#include "actor/container/idle_containers.h"
#include "actor/container/world.h"
#include "actor/shm/wait.h"

namespace mpiactor {
namespace {

CommStates* states = nullptr;
// MPI_COMM_SELF's. It gets no attribute: programs use it in delete callbacks of its attributes, in
// MPI_Finalize, when the library goes through them.
CommState* state_of_self = nullptr;
IdleContainers* idle = nullptr;
// Persistent requests' that were let go of, and may still get messages.
std::vector<std::unique_ptr<Container>>* let_go = nullptr;
int keyval = MPI_KEYVAL_INVALID;

// The last communicator that a thread used, valid while no communicator was freed since.
std::atomic<std::uint64_t> generation{1};
struct LastUsed {
  MPI_Comm comm{};
  std::uint64_t generation = 0;  // of none
  CommState* state = nullptr;
};
thread_local LastUsed last_used;

void finish_background(const CommState& state) {
  if (state.container) state.container->finish_background();
  for (const auto& lane : state.lanes.containers) lane->finish_background();
}

// Ends its background calls; whether anything was known of it.
bool drop(MPI_Comm comm) {
  std::unique_ptr<CommState> last;
  {
    const std::lock_guard<std::mutex> lock(states->mutex);
    const auto entry = states->of_comm.find(comm);
    if (entry != states->of_comm.end()) {
      last = std::move(entry->second);
      states->of_comm.erase(entry);
    }
    generation.fetch_add(1, std::memory_order_release);
  }
  if (last) finish_background(*last);
  return last != nullptr;
}

// MPI calls this when the attribute is deleted. Communicators that MPI_Comm_free does not end, end
// in finalise_registry().
int on_comm_end(MPI_Comm comm, int, void*, void*) {
  if (states) drop(comm);
  return MPI_SUCCESS;
}

void drain_and_keep(Container* container) {
  if (!container) return;
  container->drain();
  std::unique_ptr<Container> own(container);
  if (idle) idle->keep(std::move(own));
}

std::unique_ptr<CommState> make_state(MPI_Comm comm) {
  auto state = std::make_unique<CommState>();
  PMPI_Comm_size(comm, &state->size);
  PMPI_Comm_rank(comm, &state->rank);
  state->passed_on = state->size < 2;
  state->calls_before_container = world()->settings.warmup_calls;
  return state;
}

void keep_drained() {
  std::erase_if(*let_go, [](std::unique_ptr<Container>& container) {
    if (!container->is_drained()) return false;
    idle->keep(std::move(container));
    return true;
  });
}

// Faults with a warning, once: what keeps one communicator from sharing memory mostly keeps all.
void tell(const std::string& whose, const Container::Refusal& refusal) {
  if (refusal.why.empty()) return;
  static std::atomic<bool> was_warned{false};
  const bool is_news = refusal.is_fault && !was_warned.exchange(true);
  say(is_news ? Verbosity::kWarn : Verbosity::kInfo,
      whose + " go to the MPI library: " + refusal.why);
}

// Requests that were freed leave their places first.
std::unique_ptr<Container> create(MPI_Comm comm, Container::Refusal& refusal,
                                  Container::Need need = Container::Need::kFull) {
  keep_drained();
  return Container::create(comm, *idle, refusal, need);
}

void let_go_of(Container* container) {
  let_go->emplace_back(container);
  keep_drained();
}

Container* make_container(MPI_Comm comm, CommState& state) {
  Container::Refusal refusal;
  state.container = {create(comm, refusal).release(), drain_and_keep};
  if (!state.container) {
    state.passed_on = true;
    tell("a communicator's collectives", refusal);
  }
  return state.container.get();
}

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// Several calls under way between nodes cost the CPU more than the library's, and others want it.
// Reductions are worth it from some KiB on; and when calls queue differs from run to run, which
// must not show in how results are rounded.
bool takes_reductions_only(const Container& container) {
  const World& of = *world();
  return of.crowded && of.settings.never_worse && container.nodes().nodes() > 1;
}

// One lane, or all of them where calls of some rank have had to wait for each other. Ranks agree
// on that after ever more calls.
void make_lanes(MPI_Comm comm, CommState& state) {
  constexpr std::size_t kMost = 4;
  constexpr std::uint64_t kMoreCalls = 16;  // times as many
  Lanes& lanes = state.lanes;
  while (lanes.calls_to_agree <= lanes.calls) lanes.calls_to_agree *= kMoreCalls;
  if (world()->settings.check) return;  // of all calls in one order
  const bool any_queue = !Agreement(comm).all(!lanes.has_queue);
  lanes.reduce_only = any_queue && takes_reductions_only(*state.container);
  const std::size_t wanted = any_queue ? kMost : 1;
  while (lanes.containers.size() < wanted) {
    Container::Refusal refusal;
    std::unique_ptr<Container> made = create(comm, refusal, Container::Need::kSpare);
    if (!made) {
      lanes.calls_to_agree = kNever;
      if (!refusal.why.empty())
        say(Verbosity::kInfo,
            "a communicator's nonblocking calls make others wait: " + refusal.why);
      return;
    }
    made->grow_like(*state.container, comm);
    lanes.containers.emplace_back(made.release(), drain_and_keep);
  }
  if (wanted == kMost) lanes.calls_to_agree = kNever;
}

}  // namespace

CommState* find_comm_state(MPI_Comm comm) {
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (last_used.comm == comm && last_used.generation == now) return last_used.state;
  if (comm == MPI_COMM_SELF) return state_of_self;
  if (Ending::is_of(comm)) return nullptr;
  CommState* state = nullptr;
  {
    const std::lock_guard<std::mutex> lock(states->mutex);
    const auto found = states->of_comm.find(comm);
    if (found != states->of_comm.end()) state = found->second.get();
  }
  if (!state) {
    int is_inter = 0;
    const int error = let_throw([&] { return PMPI_Comm_test_inter(comm, &is_inter); });
    if (error != MPI_SUCCESS) throw Reported{error};
    std::unique_ptr<CommState> fresh = make_state(comm);
    if (is_inter) fresh->passed_on = true;
    state = fresh.get();
    {
      const std::lock_guard<std::mutex> lock(states->mutex);
      states->of_comm[comm] = std::move(fresh);
    }
    PMPI_Comm_set_attr(comm, keyval, nullptr);  // so that on_comm_end is called
  }
  last_used = {comm, now, state};
  return state;
}

Container* find_container(MPI_Comm comm, CommState& state) {
  if (state.container) return state.container.get();
  if (state.passed_on) return nullptr;
  if (state.calls_before_container > 0) {
    --state.calls_before_container;
    return nullptr;
  }
  return make_container(comm, state);
}

void prepare_blocking_call(MPI_Comm comm, CommState& state, bool is_rooted) {
  state.container->prepare_blocking_call(comm);
  Lanes& lanes = state.lanes;
  if (lanes.calls == 0) return;
  if (!is_rooted && lanes.calls >= lanes.calls_to_agree) make_lanes(comm, state);
  for (const auto& lane : lanes.containers) {
    if (lane->wants_more()) lane->prepare_blocking_call(comm);
  }
}

std::shared_ptr<Container> make_own_container(MPI_Comm comm) {
  Container::Refusal refusal;
  std::unique_ptr<Container> own = create(comm, refusal);
  if (own) return {own.release(), let_go_of};
  tell("a persistent request's starts", refusal);
  return nullptr;
}

// Without the runtime's attribute the library sees the application's alone: of several errors of
// callbacks MPICH keeps the last, and a success is one, too.
void forget(MPI_Comm comm) {
  if (drop(comm)) PMPI_Comm_delete_attr(comm, keyval);
}

void initialise_registry() {
  states = new CommStates;
  state_of_self = make_state(MPI_COMM_SELF).release();
  idle = new IdleContainers;
  let_go = new std::vector<std::unique_ptr<Container>>;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_comm_end, &keyval, nullptr);
}

void finalise_registry() {
  std::vector<MPI_Comm> left;
  for (const auto& [comm, state] : states->of_comm) {
    left.push_back(comm);
    finish_background(*state);
  }
  // Nobody sends notices from now on, and all that were sent are known before containers drain.
  if (world()->notices) {
    shm::Waiter waiter(world()->wait);
    world()->notices->finish([&] { waiter.pause(); });
  }
  for (const MPI_Comm comm : left) {
    PMPI_Comm_delete_attr(comm, keyval);  // calls on_comm_end
  }
  PMPI_Comm_free_keyval(&keyval);
  for (const auto& container : *let_go) container->drain();
  delete std::exchange(let_go, nullptr);
  delete std::exchange(state_of_self, nullptr);
  delete std::exchange(states, nullptr);
  delete std::exchange(idle, nullptr);
}

}  // namespace mpiactor
