// For tests of the runtime's parts, linked in, in a job whose ranks share a container.
#ifndef MPIACTOR_TESTS_ACTOR_COLLECTIVES_WITH_CONTAINER_H_
#define MPIACTOR_TESTS_ACTOR_COLLECTIVES_WITH_CONTAINER_H_

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <memory>

#include "actor/container/container.h"
#include "actor/container/world.h"

namespace mpiactor::testing {

// Runs all tests with `container` for all ranks; returns what main() does.
inline int run_tests_with(std::unique_ptr<Container>& container, int argc, char** argv) {
  MPI_Init(&argc, &argv);
  initialise_world();
  Container::Refusal refusal;
  IdleContainers idle;
  container = Container::create(MPI_COMM_WORLD, idle, refusal);
  ::testing::InitGoogleTest(&argc, argv);
  const int result = container ? RUN_ALL_TESTS() : 1;
  if (!container) std::fprintf(stderr, "no container: %s\n", refusal.why.c_str());
  container.reset();
  finalise_world();
  MPI_Finalize();
  return result;
}

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_ACTOR_COLLECTIVES_WITH_CONTAINER_H_
