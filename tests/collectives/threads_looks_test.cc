// MPI_THREAD_MULTIPLE: a message that was sent before a barrier is found by the first MPI_Iprobe
// after it, also while another thread of the rank is still looking. The MPI library finds most of
// them by itself, so it is checked besides that the runtime has let it work.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"
#include "tests/collectives/library_hooks.h"

namespace {

using namespace mpiactor::testing;

constexpr int kRounds = 100;
constexpr int kTag = 5;

thread_local bool is_held_up = false;
thread_local int looks = 0;
std::atomic<bool> is_looking{false};
std::atomic<bool> has_looked{false};

void wait_for(const std::atomic<bool>& event) {
  while (!event) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void hold_up() {
  ++looks;
  if (!is_held_up) return;
  is_looking = true;
  wait_for(has_looked);
}

void look_for_others(MPI_Comm others) {
  is_held_up = true;
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, others, &found, MPI_STATUS_IGNORE);
  CHECK(looks > 0, "nothing held up");
}

void run_round(const Group& world, MPI_Comm others, int round) {
  const int sent = round;
  if (world.rank == 0) MPI_Send(&sent, 1, MPI_INT, 1, kTag, world.comm);
  MPI_Barrier(world.comm);
  if (world.rank != 1) return;
  is_looking = has_looked = false;
  std::thread looking(look_for_others, others);
  wait_for(is_looking);
  looks = 0;
  int found = 0;
  MPI_Iprobe(0, kTag, world.comm, &found, MPI_STATUS_IGNORE);
  CHECK(found != 0, "message, round " + std::to_string(round));
  CHECK(looks > 0, "looks, round " + std::to_string(round));
  has_looked = true;
  looking.join();
  int got = 0;
  MPI_Recv(&got, 1, MPI_INT, 0, kTag, world.comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(got, round, "message");
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_MULTIPLE);
  MPI_Comm others;
  MPI_Comm_dup(job.world().comm, &others);
  call_before_progress(hold_up);
  for (int round = 0; round < kRounds; ++round) run_round(job.world(), others, round);
  call_before_progress(nullptr);
  MPI_Comm_free(&others);
  return 0;
}
