// MPI_THREAD_MULTIPLE: several threads a rank, each with a communicator of its own.
#include <functional>
#include <thread>
#include <vector>

#include "tests/collectives/harness.h"
#include "tests/collectives/sequence.h"

namespace {

using namespace mpiactor::testing;

constexpr int kThreads = 3;
constexpr std::uint64_t kCallsOfARound = 40;

void run_thread(const Group& group, std::uint64_t seed, std::uint64_t first) {
  for (std::uint64_t i = 0; i < kCallsOfARound; ++i) {
    Case at(group, seed, first + i);
    at.maybe_sleep();
    if (at.shared.one_in(8)) {
      overlapping_calls(at);
    } else {
      blocking_call(at);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_MULTIPLE);
  std::vector<Group> groups;
  for (std::uint64_t i = 0; i < kThreads; ++i) groups.push_back(random_group(job.seed() + i));
  std::uint64_t number = job.first_case();
  while (job.goes_on(number / kCallsOfARound)) {
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      if (groups[i].is_member())
        threads.emplace_back(run_thread, std::cref(groups[i]), job.seed() + i, number);
    }
    for (std::thread& thread : threads) thread.join();
    number += kCallsOfARound;
  }
  job.report(number);
  for (Group& group : groups) free_group(group);
  return 0;
}
