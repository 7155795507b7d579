#include "actor/interpose/background_call.h"

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <utility>

#include "actor/background/background.h"
#include "actor/buffers/message.h"
#include "actor/collectives/bcast.h"
#include "actor/collectives/begin_call.h"
#include "actor/collectives/call_memory.h"
#include "actor/collectives/collectives.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/interpose/guard.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"
#include "actor/interpose/vectors.h"
#include "actor/node/meeting.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"
#include "inter/messages.h"

namespace mpiactor::interpose {
namespace {

// Long vectors go through memory that a background call cannot get; cut into the pieces that fit
// without it they are slower than the MPI library.
constexpr std::uint64_t kPieceBytes = 256 << 10;
CallMemory memory_of_vectors(std::uint64_t bytes, const Container& container) {
  const auto parts = static_cast<std::uint64_t>(container.nodes().most_members() + 1);
  return {.wanted = parts_bytes(parts, std::min(bytes, kPieceBytes))};
}

// Parts of a reduce_scatter have an element of each share, at least, and are rounded to whole cache
// lines.
CallMemory memory_of_shares(std::uint64_t bytes, std::uint64_t element_bytes,
                            const Container& container) {
  const auto members = static_cast<std::uint64_t>(container.nodes().most_members());
  const auto nodes = static_cast<std::uint64_t>(container.nodes().nodes());
  const std::uint64_t vectors = members + nodes + 2;
  CallMemory memory = memory_of_vectors(bytes, container);
  memory.least = vectors * 2 * shares_rounding(nodes, members, element_bytes);
  memory.wanted = std::max(memory.wanted, memory.least);
  return memory;
}

// Where it has the memory that it cannot wait for; else the next blocking call gets that, where it
// can be got. Equal on all ranks.
bool may_begin(const CallFacts& facts, Container& container, const CallMemory& memory) {
  if (facts.is_empty() || !is_worth_it(facts, container, leader_policy())) return false;
  if (memory.wanted < memory.least) return false;  // a call takes no more than it wants
  return !container.lacks_work_bytes(memory.wanted, memory.parts) &&
         container.work_bytes() >= memory.least;
}

std::optional<BackgroundCall> worth_it(BackgroundCall call, const CallMemory& memory = {}) {
  if (!may_begin(call.facts, *call.container, memory)) return std::nullopt;
  return call;
}

// The trace's record of one call, from its start on.
class BackgroundSpan {
 public:
  explicit BackgroundSpan(const BackgroundCall& call) {
    if (!trace::is_recording()) return;
    trace::Span* const outer = trace::current_span();
    span_ = std::make_unique<trace::Span>(call.name, call.identity, call.facts.root());
    span_->bytes(call.facts.bytes());
    span_->hybrid();
    trace::exchange_current(outer);
  }
  // In the background: what happens from now on is the call's.
  void enter() {
    if (span_) trace::exchange_current(span_.get());
  }
  void leave() {
    span_.reset();
    trace::exchange_current(nullptr);
  }

 private:
  std::unique_ptr<trace::Span> span_;
};

int run_to_the_end(const BackgroundCall& call, LeaderPolicy policy) {
  return guard(call.name, [&] {
    begin_call(*call.container, call.facts, policy);
    const int error = call.run();
    look_is_due.store(true, std::memory_order_relaxed);
    ++trace::counters().hybrid;
    return error;
  });
}

void require_done(bool is_done) {
  if (!is_done) throw std::logic_error("a call that has begun cannot be left to the MPI library");
}

}  // namespace

std::optional<BackgroundCall> prepare_barrier(const CommState& state) {
  Container* const container = state.container.get();
  return worth_it({.name = "MPI_Ibarrier",
                   .facts = CallFacts::barrier(),
                   .container = state.container,
                   .run = [container] { return hybrid_barrier(*container), MPI_SUCCESS; }});
}

std::optional<BackgroundCall> prepare_bcast(void* buffer, MPI_Count count, MPI_Datatype type,
                                            int root, const CommState& state) {
  if (count == 0 || !is_rank(root, state) || is_refused(buffer, count, type)) return std::nullopt;
  const auto kept = std::make_shared<KeptTypes>();
  const Message message(buffer, count, kept->keep(type));
  Container* const container = state.container.get();
  return worth_it({.name = "MPI_Ibcast",
                   .facts = CallFacts::bcast(root, message.bytes()),
                   .container = state.container,
                   .run = [container, kept, message, root] {
                     return error_class(hybrid_bcast(*container, message, root));
                   }});
}

std::optional<BackgroundCall> prepare_reduce(const void* send, void* recv, MPI_Count count,
                                             MPI_Datatype type, MPI_Op op, int root,
                                             const CommState& state) {
  if (count <= 0 || !is_rank(root, state)) return std::nullopt;
  const auto reduction = Reduction::find(op, type);
  const bool is_root = state.rank == root;
  if (!reduction || (send == MPI_IN_PLACE && !is_root) ||
      is_vector_refused(send, count, is_root ? recv : nullptr, is_root ? count : 0, type)) {
    return std::nullopt;
  }
  Container* const container = state.container.get();
  const Vector vector = make_vector(send, is_root ? recv : nullptr, count);
  return worth_it({.name = "MPI_Ireduce",
                   .facts = CallFacts::reduce(root, vector.elements * reduction->element_bytes(),
                                              reduction->order_matters()),
                   .container = state.container,
                   .run =
                       [container, vector, reduction = *reduction, root] {
                         hybrid_reduce(*container, MPI_COMM_NULL, vector, reduction, root);
                         return MPI_SUCCESS;
                       }},
                  memory_of_vectors(vector.elements * reduction->element_bytes(), *container));
}

std::optional<BackgroundCall> prepare_allreduce(const void* send, void* recv, MPI_Count count,
                                                MPI_Datatype type, MPI_Op op,
                                                const CommState& state) {
  if (count <= 0) return std::nullopt;
  const auto reduction = Reduction::find(op, type);
  if (!reduction || is_vector_refused(send, count, recv, count, type)) return std::nullopt;
  Container* const container = state.container.get();
  const Vector vector = make_vector(send, recv, count);
  const std::uint64_t bytes = vector.elements * reduction->element_bytes();
  CallMemory memory = memory_of_vectors(bytes, *container);
  if (bytes > kPieceBytes) memory.parts = Container::kPartsWithOneHeld;
  return worth_it({.name = "MPI_Iallreduce",
                   .facts = CallFacts::allreduce(bytes, reduction->order_matters()),
                   .container = state.container,
                   .run =
                       [container, vector, reduction = *reduction] {
                         hybrid_allreduce(*container, MPI_COMM_NULL, vector, reduction);
                         return MPI_SUCCESS;
                       }},
                  memory);
}

std::optional<BackgroundCall> prepare_reduce_scatter(const char* name, const void* send, void* recv,
                                                     std::vector<std::uint64_t> first,
                                                     MPI_Datatype type, MPI_Op op,
                                                     const CommState& state,
                                                     ReduceScatterFacts facts) {
  if (first.empty() || first.back() == 0 || first.back() > INT_MAX) return std::nullopt;
  const auto reduction = Reduction::find(op, type);
  if (!reduction) return std::nullopt;
  const auto me = static_cast<std::size_t>(state.rank);
  const auto all = static_cast<MPI_Count>(first.back());
  if (is_vector_refused(send, all, recv, static_cast<MPI_Count>(first[me + 1] - first[me]), type)) {
    return std::nullopt;
  }
  Container* const container = state.container.get();
  const Vector vector = make_vector(send, recv, all);
  const std::uint64_t element_bytes = reduction->element_bytes();
  const std::uint64_t bytes = vector.elements * element_bytes;
  return worth_it({.name = name,
                   .facts = facts(bytes, reduction->order_matters()),
                   .container = state.container,
                   .run =
                       [container, vector, first = std::move(first), reduction = *reduction] {
                         require_done(hybrid_reduce_scatter(*container, MPI_COMM_NULL, vector,
                                                            first, reduction));
                         return MPI_SUCCESS;
                       }},
                  memory_of_shares(bytes, element_bytes, *container));
}

bool blocks_may_begin(const CallFacts& facts, Container& container) {
  // Gathers and scatters of more nodes are not done.
  if (facts.root() != CallFacts::kNoRoot && container.nodes().nodes() > inter::kMaxChannels)
    return false;
  if (!needs_send_buffers(facts, container))
    return may_begin(facts, container, memory_of(facts, container));
  return may_begin(facts, container, {}) && !container.lacks_send_buffers();
}

int run_begun(BlockCall& call, Container& container) {
  const std::optional<int> error = call.run(container, MPI_COMM_NULL);
  require_done(error.has_value());
  return *error;
}

std::optional<BackgroundCall> prepare_blocks(const char* name, BlockCall call,
                                             std::shared_ptr<KeptTypes> kept,
                                             const CommState& state) {
  Container* const container = state.container.get();
  const CallFacts facts = call.facts();
  if (!blocks_may_begin(facts, *container)) return std::nullopt;
  return BackgroundCall{.name = name,
                        .facts = facts,
                        .container = state.container,
                        .run = [container, kept = std::move(kept), call = std::move(call)] {
                          BlockCall once = call;
                          return run_begun(once, *container);
                        }};
}

namespace {

// A call under way.
struct Running {
  BackgroundCall call;
  std::function<void(int error)> ended;
  LeaderPolicy policy = leader_policy();  // may be another one when its turn comes
  BackgroundSpan span{call};
  int error = MPI_SUCCESS;

  void run() {
    span.enter();
    error = run_to_the_end(call, policy);
    span.leave();
  }
};

}  // namespace

void start(BackgroundCall call, std::function<void(int error)> ended) {
  auto owner = std::make_unique<Running>(std::move(call), std::move(ended));
  // Functions of a single pointer: others would be copied to memory of their own.
  Running* const running = owner.get();
  background::start(
      running->call.container.get(), [running] { running->run(); },
      [running] {
        const std::unique_ptr<Running> last(running);
        running->ended(running->error);
      });
  static_cast<void>(owner.release());
}

}  // namespace mpiactor::interpose
