// Random sequences of collectives over random communicators with random sleeps: those that the
// runtime takes over among those that it passes on, nonblocking and persistent ones.
#include <array>
#include <optional>
#include <vector>

#include "tests/collectives/harness.h"
#include "tests/collectives/sequence.h"

namespace {

using namespace mpiactor::testing;

constexpr int kCommunicators = 3;
constexpr int kCallsOfASet = 150;

void one_call(Case& at, OtherCommunicators& others) {
  at.maybe_sleep();
  switch (at.shared.below(12)) {
    case 0:
      return passed_on_call(at);
    case 1:
    case 2:
      return overlapping_calls(at);
    case 3:
      return others.inter_communicator_call(at);
    case 4:
      return others.neighbourhood_call(at);
    default:
      return blocking_call(at);
  }
}

// A few communicators at a time, used in turns, then others.
std::uint64_t run_set(const Job& job, std::uint64_t number) {
  Random choice(job.seed() ^ number);
  std::vector<Group> groups;
  std::array<std::optional<OtherCommunicators>, kCommunicators> others;
  for (std::size_t i = 0; i < kCommunicators; ++i) {
    groups.push_back(random_group(choice.next()));
    if (groups[i].is_member()) others[i].emplace(groups[i]);
  }
  for (int i = 0; i < kCallsOfASet; ++i, ++number) {
    const auto which = static_cast<std::size_t>(choice.below(kCommunicators));
    if (!groups[which].is_member()) continue;
    Case at(groups[which], job.seed(), number);
    one_call(at, *others[which]);
  }
  for (std::size_t i = 0; i < kCommunicators; ++i) {
    others[i].reset();
    free_group(groups[i]);
  }
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  std::uint64_t number = job.first_case() / kCallsOfASet * kCallsOfASet;
  while (job.goes_on(number / kCallsOfASet)) number = run_set(job, number);
  job.report(number);
  return 0;
}
