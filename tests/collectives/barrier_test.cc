// Nobody leaves MPI_Barrier before the last rank has entered it: by a clock that all ranks share.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kBarriers = 6;

// All ranks run on this machine, whose monotonic clock is one.
double now_s() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Stay {
  double entered_s;
  double left_s;
};

void run_case(Case& at) {
  at.text = "MPI_Barrier";
  // One rank after the other is late; the others rush from barrier to barrier.
  std::vector<Stay> mine;
  for (int i = 0; i < kBarriers; ++i) {
    if (at.shared.below(at.group.size) == at.group.rank)
      usleep(static_cast<useconds_t>(at.own.below(3000)));
    const double entered_s = now_s();
    MPI_Barrier(at.group.comm);
    mine.push_back({entered_s, now_s()});
  }
  std::vector<Stay> all(mine.size() * static_cast<std::size_t>(at.group.size));
  PMPI_Allgather(mine.data(), 2 * kBarriers, MPI_DOUBLE, all.data(), 2 * kBarriers, MPI_DOUBLE,
                 at.group.comm);
  for (std::size_t i = 0; i < kBarriers; ++i) {
    double last_entered_s = all[i].entered_s;
    double first_left_s = all[i].left_s;
    for (std::size_t of = i; of < all.size(); of += kBarriers) {
      last_entered_s = std::max(last_entered_s, all[of].entered_s);
      first_left_s = std::min(first_left_s, all[of].left_s);
    }
    if (first_left_s < last_entered_s)
      fail(at, "barrier " + std::to_string(i) + " was left " +
                   std::to_string(1e6 * (last_entered_s - first_left_s)) +
                   " us before the last rank entered it");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  job.run_cases([&](const Group& group, std::uint64_t number) {
    Case at(group, job.seed(), number);
    run_case(at);
  });
  return 0;
}
