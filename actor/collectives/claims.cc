#include "actor/collectives/claims.h"

#include <string>

#include "actor/container/world.h"

namespace mpiactor {
namespace {

std::string describe(const competition::Claim& claim) {
  std::string text = "rank " + std::to_string(claim.rank) + " called " +
                     operation_name(static_cast<Operation>(claim.operation)) + " with ";
  if (claim.root >= 0) text += "root " + std::to_string(claim.root) + " and ";
  return text + std::to_string(claim.bytes) + " bytes";
}

}  // namespace

void compare_claims(Container& container, const CallFacts& call) {
  if (!world()->settings.check) return;
  const competition::Claim mine{call.bytes(), static_cast<int>(call.operation()), call.root(),
                                container.rank()};
  const competition::Claim first = container.queue().check(container.upcoming_sequence(), mine);
  if (first.bytes == mine.bytes && first.operation == mine.operation && first.root == mine.root) {
    return;
  }
  abort_job("MPIACTOR_CHECK: calls that should match differ: " + describe(first) + ", " +
            describe(mine) + " (ranks of the communicator)");
}

void withdraw_claims(Container& container) {
  if (world()->settings.check) container.queue().leave(container.next_sequence());
}

}  // namespace mpiactor
