// What all ranks of a program's communicator come to together, before they have anything of the
// runtime's own in common. The communicator's error handler stays the program's, of which other
// threads may make use at the same time.
#ifndef MPIACTOR_ACTOR_COMM_AGREEMENT_H_
#define MPIACTOR_ACTOR_COMM_AGREEMENT_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mpiactor {

// All functions are collective over the communicator. Where one fails and the error handler
// returns, it throws std::runtime_error with the MPI library's text.
class Agreement {
 public:
  explicit Agreement(MPI_Comm comm) : comm_(comm) {}

  // Whether it is `mine` on every rank.
  bool all(bool mine) const;
  // The same; where it is not, all but the lowest rank that is against it lose their reason.
  bool all(bool mine, std::string& why) const;
  // To all, combined bit by bit.
  void intersect(std::span<std::uint64_t> words) const;
  // To all, the lowest of each.
  void lowest(std::span<int> numbers) const;
  // From rank 0.
  void share(void* data, std::size_t bytes) const;
  // `all`: `bytes` of each rank.
  void collect(const void* mine, std::size_t bytes, void* all) const;

 private:
  MPI_Comm comm_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COMM_AGREEMENT_H_
