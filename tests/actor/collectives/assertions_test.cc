// What the members of a node rely on in staging, broken on purpose: debug builds say so and end.
// Two ranks of one node, the runtime's parts linked in.
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <stdexcept>

#include "actor/container/container.h"
#include "actor/node/distribution.h"
#include "actor/node/meeting.h"
#include "inter/assertion.h"
#include "tests/actor/collectives/with_container.h"

namespace mpiactor {
namespace {

constexpr std::uint64_t kBytes = 10000;

std::unique_ptr<Container> container;

TEST(Meeting, MembersThatShareDifferentSizes) {
  std::unique_ptr<Meeting> meeting;
  std::uint64_t sequence = 0;
  if (container->rank() == 0) {
    meeting = std::make_unique<Meeting>(*container, kBytes);
    sequence = meeting->sequence();
  }
  MPI_Bcast(&sequence, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (container->rank() == 1) {
    EXPECT_THROW(Meeting(*container, kBytes + 1), std::runtime_error);
  }
  container->queue().leave(sequence);
}

#if MPIACTOR_ASSERTIONS

TEST(MeetingDeathTest, MoreMemoryThanARequestMayTake) {
  EXPECT_DEATH(Meeting(*container, container->work_bytes() + 1),
               "assertion failed: member [01] asks for 65537 bytes in request 1; at most 65536");
}

TEST(DistributionDeathTest, EntriesBeyondTheMessage) {
  const std::uint64_t sequence = container->next_sequence();
  competition::RequestQueue& queue = container->queue();
  if (container->rank() == 0) {
    queue.lead(sequence);
    Distribution distribution(*container, sequence, kBytes, Placement::kHeld, 4);
    EXPECT_DEATH(distribution.arrived(9000, 1001), "bytes \\[9000, 10001\\) of 10000");
    // A log of whole cache lines. What the dying process has published stays.
    EXPECT_DEATH(for (;;) distribution.arrived(0, 1), "assertion failed: entry 8 of 8 in request");
    // A follower finds what a leader has spoilt.
    const std::uint64_t log = queue.slot(sequence).description.log_offset;
    reinterpret_cast<competition::Entry*>(container->staging(log))->offset = kBytes;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (container->rank() == 1) {
    std::byte bytes[kBytes];
    const Message message(bytes, kBytes, MPI_BYTE);
    EXPECT_DEATH(follow(*container, sequence, message),
                 "assertion failed: entry 0 of request [0-9]+: bytes \\[10000, 10001\\) of 10000");
    EXPECT_DEATH(
        {
          queue.slot(sequence).description.sequence = 7;
          follow(*container, sequence, message);
        },
        "assertion failed: member 1 is in request [0-9]+, whose slot describes request 7");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  queue.leave(sequence);
}

#else

TEST(Assertions, AreForDebugBuilds) {
  EXPECT_EQ(container->members(), 2);
  Meeting meeting(*container, kBytes);
  meeting.leave();
}

#endif

}  // namespace
}  // namespace mpiactor

int main(int argc, char** argv) {
  return mpiactor::testing::run_tests_with(mpiactor::container, argc, argv);
}
