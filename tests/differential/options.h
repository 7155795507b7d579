// What the command line says.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_OPTIONS_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_OPTIONS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace differential {

// Parts of programs that can be left out: --without. A step that would use one does without it;
// what it draws from its generators stays the same.
inline const std::vector<std::string> kFeatures = {
    "absolute",      // MPI_BOTTOM and absolute addresses
    "attributes",    // delete callbacks that call collectives
    "between",       // inter-communicators
    "deferred",      // nonblocking calls that are still pending in later steps
    "early_free",    // communicators freed while calls are pending on them
    "junk",          // senseless values of arguments that mean nothing on a rank
    "large_counts",  // the _c forms of calls and of type constructors
    "nonblocking",
    "null_requests",  // MPI_REQUEST_NULL among requests that are completed together
    "persistent",
    "profiled",  // PMPI_ names
    "progress",  // messages that must be seen after barriers
    "sleep",
    "traffic",  // messages between collectives
    "types",    // derived types
    "user_operations",
    "wildcards",    // receives from anybody that are pending on communicators
    "windows",      // one-sided communication between collectives
    "wrong_sizes",  // calls whose sizes differ, which end in errors
};

struct Options {
  std::uint64_t seed = 0;
  int first_step = 0;
  int steps = 0;       // 0: no limit
  double seconds = 0;  // 0: no limit
  std::vector<int> keep;
  bool keeps_all = true;
  bool print = false;
  bool wrong_sizes = false;
  int threads = 1;
  std::set<std::string> without;

  bool has(const std::string& feature) const { return without.count(feature) == 0; }
};

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_OPTIONS_H_
