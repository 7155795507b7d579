// What all ranks of a program's communicator come to together, before they have anything of the
// runtime's own in common. While an agreement lives, errors of MPI calls on the communicator come
// back to the caller, whatever handler the program has set.
#ifndef MPIACTOR_ACTOR_CONTAINER_AGREEMENT_H_
#define MPIACTOR_ACTOR_CONTAINER_AGREEMENT_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mpiactor {

// A communicator's error handler, held.
class ErrorHandler {
 public:
  explicit ErrorHandler(MPI_Comm comm) { PMPI_Comm_get_errhandler(comm, &handler_); }
  ~ErrorHandler();
  ErrorHandler(const ErrorHandler&) = delete;
  ErrorHandler& operator=(const ErrorHandler&) = delete;
  MPI_Errhandler get() const { return handler_; }

 private:
  MPI_Errhandler handler_ = MPI_ERRORS_ARE_FATAL;
};

// All functions are collective over the communicator, and throw std::runtime_error with the MPI
// library's text where it fails.
class Agreement {
 public:
  explicit Agreement(MPI_Comm comm) : comm_(comm), programs_(comm) {
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Agreement() { PMPI_Comm_set_errhandler(comm_, programs_.get()); }
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  // Whether it is `mine` on every rank.
  bool all(bool mine) const;
  // The same; where it is not, all but the lowest rank that is against it lose their reason.
  bool all(bool mine, std::string& why) const;
  // To all, combined bit by bit.
  void intersect(std::span<std::uint64_t> words) const;
  // From rank 0.
  void share(void* data, std::size_t bytes) const;
  // `all`: `bytes` of each rank.
  void collect(const void* mine, std::size_t bytes, void* all) const;

 private:
  MPI_Comm comm_;
  ErrorHandler programs_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_AGREEMENT_H_
