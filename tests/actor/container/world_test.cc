// What settings make of the world and of a container. Two ranks of one node, the runtime's parts
// linked in. --yield: MPIACTOR_WAIT=yield, --one: MPIACTOR_CANDIDATES=1.
// --share: both ranks may use one core alone, the same.
#include "actor/container/world.h"

#include <gtest/gtest.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <string_view>

#include "actor/container/container.h"
#include "inter/drop_list.h"

namespace mpiactor {
namespace {

bool yield = false;
bool one_candidate = false;
bool share = false;

TEST(World, RanksGiveWayWhereTheyAreManyOrAreTold) {
  if (share) {
    EXPECT_EQ(world()->cores, 1);
  }
  const bool many = world()->ranks_on_machine > world()->cores;
  EXPECT_EQ(world()->wait.give_way, yield || many);
  EXPECT_EQ(world()->crowded, yield || many);
}

TEST(Container, OneCandidateIsPushedToAsAStaticLeaderIs) {
  Container::Refusal refusal;
  IdleContainers idle;
  const auto container = Container::create(MPI_COMM_WORLD, idle, refusal);
  ASSERT_NE(container, nullptr) << refusal.why;
  EXPECT_EQ(container->push_limit(), 16u << 10);
  EXPECT_EQ(container->scatter_push_limit(false), 16u << 10);
  EXPECT_EQ(container->scatter_push_limit(true), one_candidate ? 16u << 10 : 8u << 10);
}

TEST(PrivateComms, MessagesThatNobodyReceivesAreTakenIn) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int value = 7;
  MPI_Request sent[3];
  for (int tag = 0; tag < 3; ++tag) {
    PMPI_Isend(&value, tag == 2 ? 0 : 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &sent[tag]);
  }
  int received = 0;
  for (int looks = 0; received < 3 && looks < 100'000; ++looks) {
    received += inter::receive_left_over(MPI_COMM_WORLD);
  }
  EXPECT_EQ(received, 3);
  PMPI_Waitall(3, sent, MPI_STATUSES_IGNORE);
  EXPECT_EQ(inter::receive_left_over(MPI_COMM_WORLD), 0);
}

}  // namespace
}  // namespace mpiactor

namespace {

// The first core that the launcher may use: ranks may be bound to one each already.
void bind_to_one_core() {
  cpu_set_t cores;
  EXPECT_EQ(sched_getaffinity(getppid(), sizeof cores, &cores), 0);
  int first = 0;
  while (!CPU_ISSET(first, &cores)) ++first;
  CPU_ZERO(&cores);
  CPU_SET(first, &cores);
  EXPECT_EQ(sched_setaffinity(0, sizeof cores, &cores), 0);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) mpiactor::share |= argv[i] == std::string_view("--share");
  if (mpiactor::share) bind_to_one_core();
  MPI_Init(&argc, &argv);
  mpiactor::initialise_world();
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    mpiactor::yield |= argv[i] == std::string_view("--yield");
    mpiactor::one_candidate |= argv[i] == std::string_view("--one");
  }
  const int result = RUN_ALL_TESTS();
  mpiactor::finalise_world();
  MPI_Finalize();
  return result;
}
