// MPI_THREAD_MULTIPLE: two threads of a rank, each with a communicator of its own, use one derived
// type for the first time at once. A type is new in every round, so what a runtime keeps with a
// type is made by both threads together.
#include <array>
#include <atomic>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

constexpr int kThreads = 2;
constexpr int kElements = 8;
constexpr int kTypesOfARound = 200;
constexpr int kCallsOfAType = 4;

// Two of every three ints.
MPI_Datatype make_type() {
  MPI_Datatype type;
  MPI_Type_vector(2, 2, 3, MPI_INT, &type);
  MPI_Datatype resized;
  MPI_Type_create_resized(type, 0, 6 * static_cast<MPI_Aint>(sizeof(int)), &resized);
  MPI_Type_free(&type);
  MPI_Type_commit(&resized);
  return resized;
}

bool is_in_gap(std::size_t word) { return word % 3 == 2; }

// Waits until as many threads have come as `arrivals` is to count; gives way, for there may be
// fewer cores.
void meet(std::atomic<int>& arrivals, int all) {
  arrivals.fetch_add(1);
  while (arrivals.load() < all) std::this_thread::yield();
}

void spin(int turns) {
  std::atomic<int> count{0};
  while (count.load() < turns) count.fetch_add(1);
}

void broadcast(const Group& group, int thread, MPI_Datatype type, int call) {
  const int root = call % group.size;
  const int first = 1000 * thread + call;
  std::array<int, 6 * kElements> words{};
  words.fill(-1);
  if (group.rank == root) std::iota(words.begin(), words.end(), first);
  MPI_Bcast(words.data(), kElements, type, root, group.comm);
  for (std::size_t word = 0; word < words.size(); ++word) {
    const int expected =
        group.rank == root || !is_in_gap(word) ? first + static_cast<int>(word) : -1;
    CHECK_EQUAL(words[word], expected, "in " + group.name);
  }
}

void run_thread(const Group& group, int thread, const std::vector<MPI_Datatype>& types,
                std::atomic<int>& arrivals) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    meet(arrivals, static_cast<int>(i + 1) * kThreads);
    // One of them a little later, so that it comes upon what the other is doing.
    if (thread == 1) spin(static_cast<int>(i * 37 % 400));
    for (int call = 0; call < kCallsOfAType; ++call) broadcast(group, thread, types[i], call);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv, MPI_THREAD_MULTIPLE);
  std::vector<Group> groups;
  for (int i = 0; i < kThreads; ++i) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    groups.push_back(make_group(copy, "a copy of the world"));
  }
  std::uint64_t number = 0;
  while (job.goes_on(number / kTypesOfARound)) {
    std::vector<MPI_Datatype> types;
    for (int i = 0; i < kTypesOfARound; ++i) types.push_back(make_type());
    std::atomic<int> arrivals = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back(run_thread, std::cref(groups[static_cast<std::size_t>(i)]), i,
                           std::cref(types), std::ref(arrivals));
    }
    for (std::thread& thread : threads) thread.join();
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
    number += kTypesOfARound;
  }
  job.report(number);
  for (Group& group : groups) free_group(group);
  return 0;
}
