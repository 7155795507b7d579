// A second thread that uses UCX for itself, in a program whose main thread alone calls MPI: the
// runtime must not go on with its calls in that thread.
#include <ucp/api/ucp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"

namespace {

std::atomic<bool> is_over{false};
std::atomic<std::uint64_t> polls{0};

void use_ucx() {
  ucp_params_t parameters = {};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
  parameters.features = UCP_FEATURE_TAG;
  ucp_config_t* config = nullptr;
  CHECK_EQUAL(ucp_config_read(nullptr, nullptr, &config), UCS_OK, "");
  ucp_context_h context = nullptr;
  CHECK_EQUAL(ucp_init(&parameters, config, &context), UCS_OK, "");
  ucp_config_release(config);
  ucp_worker_params_t worker_parameters = {};
  worker_parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker_parameters.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  CHECK_EQUAL(ucp_worker_create(context, &worker_parameters, &worker), UCS_OK, "");
  while (!is_over) {
    ucp_worker_progress(worker);
    ++polls;
    if (polls % 64 == 0) std::this_thread::yield();
  }
  ucp_worker_destroy(worker);
  ucp_cleanup(context);
}

// Calls that wait for the other ranks, so that they are resumed.
void calls(int round, int rank, int ranks) {
  constexpr int kCount = 2000;
  std::vector<int> sums(kCount, rank + round);
  std::vector<int> words(kCount, rank == round % ranks ? round : -1);
  MPI_Request requests[3];
  MPI_Iallreduce(MPI_IN_PLACE, sums.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(words.data(), kCount, MPI_INT, round % ranks, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
  if (round % 16 == rank) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  const std::string context = "in round " + std::to_string(round);
  CHECK_EQUAL(std::count(words.begin(), words.end(), round), kCount, context);
  CHECK_EQUAL(std::count(sums.begin(), sums.end(), ranks * (ranks - 1) / 2 + ranks * round), kCount,
              context);
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);  // the container is there
  std::thread other(use_ucx);
  while (polls == 0) std::this_thread::yield();
  const long before = mpiactor::testing::hybrid_calls();
  constexpr int kRounds = 1500;
  for (int round = 0; round < kRounds; ++round) calls(round, rank, ranks);
  CHECK(mpiactor::testing::hybrid_calls() - before >= 3 * kRounds, "not handled");
  is_over = true;
  other.join();
  // Without that thread, and after its worker is gone.
  for (int round = 0; round < 100; ++round) calls(round, rank, ranks);
  MPI_Finalize();
  return 0;
}
