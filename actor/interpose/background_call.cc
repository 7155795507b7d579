#include "actor/interpose/background_call.h"

#include <algorithm>
#include <utility>

#include "actor/background/background.h"
#include "actor/buffers/message.h"
#include "actor/collectives/bcast.h"
#include "actor/collectives/claims.h"
#include "actor/collectives/collectives.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/interpose/guard.h"
#include "actor/interpose/library_check.h"
#include "actor/interpose/take_over.h"
#include "actor/interpose/vectors.h"
#include "actor/trace/counters.h"
#include "actor/trace/span.h"
#include "inter/messages.h"

namespace mpiactor::interpose {
namespace {

// A datatype that stays as long as the call: the application may free its own at once. Not a
// duplicate, for which the application's functions that copy attributes would be called.
class KeptType {
 public:
  explicit KeptType(MPI_Datatype type) {
    inter::check_mpi(PMPI_Type_contiguous(1, type, &type_), "keeping a datatype");
    inter::check_mpi(PMPI_Type_commit(&type_), "keeping a datatype");
  }
  ~KeptType() { PMPI_Type_free(&type_); }
  KeptType(const KeptType&) = delete;
  KeptType& operator=(const KeptType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Long vectors go through memory that a background call cannot get; cut into the pieces that fit
// without it they are slower than the MPI library.
bool lacks_memory(const BackgroundCall& call) {
  constexpr std::uint64_t kPieceBytes = 256 << 10;
  constexpr std::uint64_t kRounding = 128;  // of a part to whole cache lines
  const Operation operation = call.facts.operation();
  if (operation == Operation::kBcast || operation == Operation::kBarrier) return false;
  const auto parts = static_cast<std::uint64_t>(call.container->nodes().most_members() + 1);
  return call.container->lacks_work_bytes(parts *
                                          (std::min(call.facts.bytes(), kPieceBytes) + kRounding));
}

std::optional<BackgroundCall> worth_it(BackgroundCall call) {
  if (call.facts.is_empty() || !is_worth_it(call.facts, *call.container, leader_policy()))
    return std::nullopt;
  if (lacks_memory(call)) return std::nullopt;
  return call;
}

// The trace's record of one call, from its start on.
class BackgroundSpan {
 public:
  explicit BackgroundSpan(const BackgroundCall& call) {
    if (!trace::is_recording()) return;
    trace::Span* const outer = trace::current_span();
    span_ = std::make_unique<trace::Span>(call.name, call.comm, call.facts.root());
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

int run_to_the_end(const BackgroundCall& call) {
  return guard(call.name, [&] {
    compare_claims(*call.container, call.facts);
    const int error = call.run();
    look_is_due.store(true, std::memory_order_relaxed);
    ++trace::counters().hybrid;
    return error;
  });
}

}  // namespace

std::optional<Reduction> find_lasting_reduction(MPI_Op op, MPI_Datatype type) {
  auto reduction = Reduction::find(op, type);
  if (reduction && reduction->kernel() == nullptr) reduction.reset();
  return reduction;
}

std::optional<BackgroundCall> prepare_barrier(MPI_Comm comm, const CommState& state) {
  Container* const container = state.container.get();
  return worth_it({.name = "MPI_Ibarrier",
                   .facts = CallFacts::barrier(),
                   .comm = comm,
                   .container = state.container,
                   .run = [container] { return hybrid_barrier(*container), MPI_SUCCESS; }});
}

std::optional<BackgroundCall> prepare_bcast(void* buffer, MPI_Count count, MPI_Datatype type,
                                            int root, MPI_Comm comm, const CommState& state) {
  if (count == 0 || !is_rank(root, state) || is_refused(buffer, count, type)) return std::nullopt;
  const auto kept = is_builtin(type) ? nullptr : std::make_shared<KeptType>(type);
  const Message message(buffer, count, kept ? kept->get() : type);
  Container* const container = state.container.get();
  return worth_it({.name = "MPI_Ibcast",
                   .facts = CallFacts::bcast(root, message.bytes()),
                   .comm = comm,
                   .container = state.container,
                   .run = [container, kept, message, root] {
                     return error_class(hybrid_bcast(*container, message, root));
                   }});
}

std::optional<BackgroundCall> prepare_reduce(const void* send, void* recv, MPI_Count count,
                                             MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                                             const CommState& state) {
  if (count <= 0 || !is_rank(root, state)) return std::nullopt;
  const auto reduction = find_lasting_reduction(op, type);
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
                   .comm = comm,
                   .container = state.container,
                   .run = [container, comm, vector, reduction = *reduction, root] {
                     hybrid_reduce(*container, comm, vector, reduction, root);
                     return MPI_SUCCESS;
                   }});
}

std::optional<BackgroundCall> prepare_allreduce(const void* send, void* recv, MPI_Count count,
                                                MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                                const CommState& state) {
  if (count <= 0) return std::nullopt;
  const auto reduction = find_lasting_reduction(op, type);
  if (!reduction || is_vector_refused(send, count, recv, count, type)) return std::nullopt;
  Container* const container = state.container.get();
  const Vector vector = make_vector(send, recv, count);
  return worth_it({.name = "MPI_Iallreduce",
                   .facts = CallFacts::allreduce(vector.elements * reduction->element_bytes(),
                                                 reduction->order_matters()),
                   .comm = comm,
                   .container = state.container,
                   .run = [container, comm, vector, reduction = *reduction] {
                     hybrid_allreduce(*container, comm, vector, reduction);
                     return MPI_SUCCESS;
                   }});
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
    call.container->begin_call(policy);
    error = run_to_the_end(call);
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
