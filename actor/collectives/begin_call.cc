#include "actor/collectives/begin_call.h"

#include "actor/collectives/claims.h"
#include "actor/collectives/collectives.h"
#include "actor/trace/span.h"

namespace mpiactor {
namespace {

// The trace's record of the call says nothing of it but the time.
void meet(Container& container) {
  trace::Span* const call = trace::exchange_current(nullptr);
  hybrid_barrier(container);
  trace::exchange_current(call);
  container.have_met();
}

}  // namespace

void begin_call(Container& container, const CallFacts& call, LeaderPolicy policy) {
  container.set_policy(policy);
  if (container.must_meet()) meet(container);
  compare_claims(container, call);
}

}  // namespace mpiactor
