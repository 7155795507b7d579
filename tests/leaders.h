// One job of a test program under several leader policies, between which the runtime can switch
// (mpi_test's `leaders`). For programs that are launched with the runtime preloaded.
#ifndef MPIACTOR_TESTS_LEADERS_H_
#define MPIACTOR_TESTS_LEADERS_H_

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

extern "C" int mpiactor_set_leader(const char* name) __attribute__((weak));

namespace mpiactor::testing {

// As MPIACTOR_TEST_LEADERS names them: "competitive,static". Empty: those of the job.
inline const std::vector<std::string>& leaders() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    const char* text = std::getenv("MPIACTOR_TEST_LEADERS");
    std::istringstream words(text ? text : "");
    for (std::string name; std::getline(words, name, ',');) out.push_back(name);
    return out;
  }();
  return names;
}

// For messages of failures.
inline std::string& leader_now() {
  static std::string name =
      std::getenv("MPIACTOR_LEADER") ? std::getenv("MPIACTOR_LEADER") : "default";
  return name;
}

// Takes the leaders of a round from there in turns. All ranks together, between collectives.
inline void set_leader_of_round(std::uint64_t round) {
  if (leaders().empty()) return;
  const std::string& name = leaders()[round % leaders().size()];
  if (!mpiactor_set_leader || mpiactor_set_leader(name.c_str()) != 0) {
    std::fprintf(stderr, "the runtime refuses the leader '%s'\n", name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  leader_now() = name;
}

// run() under each of the leaders.
template <typename Run>
void under_each_leader(Run run) {
  std::uint64_t round = 0;
  do {
    set_leader_of_round(round);
    run();
  } while (++round < leaders().size());
}

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_LEADERS_H_
