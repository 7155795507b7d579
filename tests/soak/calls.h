// Random collectives whose results every rank can work out alone, on random communicators.
#ifndef MPIACTOR_TESTS_SOAK_CALLS_H_
#define MPIACTOR_TESTS_SOAK_CALLS_H_

#include <mpi.h>

#include <cstdint>
#include <string>

namespace mpiactor::soak {

// Numbers from a seed that is cheap to make: every call has its own. (splitmix64)
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // 0 <= result < n.
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

// The calling rank's place in a communicator; comm is MPI_COMM_NULL where it has none.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
};
Group make_group(MPI_Comm comm);

// A copy of the world, the world in another order, its halves, or all but its last rank. `choice`:
// equal on all ranks of the world.
Group random_group(std::uint64_t choice);

// Word `index` of what `rank` brings into the call known by `call`.
inline std::uint64_t word_of(std::uint64_t call, int rank, int index) {
  const std::uint64_t z = call + 0x9e3779b97f4a7c15 * static_cast<std::uint64_t>(rank + 1) +
                          0xd1342543de82ef95 * static_cast<std::uint64_t>(index);
  return (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9;
}

// One of the collectives that the runtime takes over, with a size and a root that follow from
// `call`, equal on all ranks of the group. Wrong words end the job.
void checked_call(const Group& group, std::uint64_t call);

// Ends the job with a message.
[[noreturn]] void fail(const std::string& what);

}  // namespace mpiactor::soak

#endif  // MPIACTOR_TESTS_SOAK_CALLS_H_
