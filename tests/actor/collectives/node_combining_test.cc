// A node's vectors combined in slices: whoever is told to have completed them finds every slice
// combined, also the one of a member that takes long for it. Ranks of one node, the runtime's parts
// linked in.
#include "actor/node/node_combining.h"

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "actor/container/container.h"
#include "actor/node/meeting.h"
#include "tests/actor/collectives/with_container.h"

namespace mpiactor {
namespace {

constexpr std::uint64_t kElements = 48 << 10;  // more bytes than one member combines by itself
constexpr int kSlowUs = 20'000;

std::unique_ptr<Container> container;
bool is_slow = false;  // this member, with its first slice of the request
// In common: the last request in which the slow member had its first slice.
std::atomic<std::uint64_t>* begun = nullptr;
std::uint64_t request = 0;

// The slow member has one slice, the others have the rest.
void slow_sum(const std::byte* a, const std::byte* b, std::byte* out, std::uint64_t count) {
  if (is_slow) {
    begun->store(request);
    usleep(kSlowUs);
    is_slow = false;
  }
  while (begun->load() != request) usleep(50);
  static const Reduction sum = *Reduction::find(MPI_SUM, MPI_DOUBLE);
  sum.combine(a, b, out, count);
}

// Elements that are not yet the sum of what the members laid down, 1, 2, ...
std::int64_t wrong_elements(const std::byte* vector) {
  const auto members = static_cast<double>(container->members());
  const auto* const sums = reinterpret_cast<const double*>(vector);
  return std::count_if(sums, sums + kElements,
                       [&](double sum) { return sum != members * (members + 1) / 2; });
}

// One request, in which member `slow` takes so long for its slice that the others end all theirs
// before. Whether this member has completed the vector.
bool combine(const Reduction& reduction, int slow) {
  const auto members = static_cast<std::uint64_t>(container->members());
  const std::uint64_t bytes = kElements * sizeof(double);
  MPI_Barrier(MPI_COMM_WORLD);
  is_slow = container->member() == slow;
  const std::uint64_t memory_bytes = NodeCombining::memory_bytes(members, bytes);
  Meeting meeting(*container, memory_bytes + sizeof *begun,
                  NodeCombining::zeroed_bytes(members, bytes));
  begun = reinterpret_cast<std::atomic<std::uint64_t>*>(meeting.memory() + memory_bytes);
  request = meeting.sequence();
  NodeCombining combining(*container, meeting, reduction, kElements, meeting.memory());
  std::fill_n(reinterpret_cast<double*>(combining.own_part()), kElements,
              container->member() + 1.0);
  const bool completes = combining.combine([] { return true; }, [] { return false; });
  if (completes) {
    EXPECT_EQ(wrong_elements(combining.vectors()), 0);
    meeting.publish_result();
  }
  meeting.wait_result();
  meeting.leave();
  return completes;
}

TEST(NodeCombining, IsCompleteWhenItSaysSo) {
  const auto members = static_cast<std::uint64_t>(container->members());
  const std::uint64_t bytes = kElements * sizeof(double);
  ASSERT_NE(NodeCombining::zeroed_bytes(members, bytes), 0u) << "combined by one member alone";
  container->grow(MPI_COMM_WORLD, NodeCombining::memory_bytes(members, bytes) + sizeof *begun);
  const Reduction reduction(reduction::find_predefined_type(MPI_DOUBLE), slow_sum, true);
  for (int round = 0; round < 4 * container->members(); ++round) {
    const int completes = combine(reduction, round % container->members());
    int completing = 0;
    MPI_Allreduce(&completes, &completing, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(completing, 1) << "in round " << round;
  }
}

}  // namespace
}  // namespace mpiactor

int main(int argc, char** argv) {
  return mpiactor::testing::run_tests_with(mpiactor::container, argc, argv);
}
