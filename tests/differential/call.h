// One collective call of one rank: what it passes, in which way it is called, and what its buffers
// must hold in the end.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_CALL_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_CALL_H_

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/differential/buffer.h"
#include "tests/differential/communicators.h"
#include "tests/differential/mpi_names.h"
#include "tests/differential/step.h"

namespace differential {

enum class Kind { kBlocking, kNonblocking, kPersistent };

struct Way {
  Kind kind = Kind::kBlocking;
  bool profiled = false;  // by its PMPI_ name
  bool large = false;     // its _c form: each rank's own choice
};

// A count, or an array of counts or displacements, as either form of a call wants it.
struct Count {
  MPI_Count value = 0;
  operator int() const { return static_cast<int>(value); }
  operator MPI_Count() const { return value; }
};

class Counts {
 public:
  Counts() = default;  // a null pointer
  explicit Counts(const std::vector<std::int64_t>& values)
      : plain_(values.begin(), values.end()), large_(values.begin(), values.end()) {}
  operator const int*() const { return plain_.empty() ? nullptr : plain_.data(); }
  // Displacements are MPI_Aint, which may be another type than MPI_Count.
  template <typename Large>
  requires(std::is_same_v<Large, MPI_Count> || std::is_same_v<Large, MPI_Aint>) operator const
      Large*() const {
    return large_.empty() ? nullptr : reinterpret_cast<const Large*>(large_.data());
  }

 private:
  std::vector<int> plain_;
  std::vector<MPI_Count> large_;
};
static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count), "Counts serves for displacements, too");

// A buffer as it is passed.
struct Argument {
  void* address = nullptr;
  Count count;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

struct Call {
  std::string text;  // where it was made
  Buffer send;
  Buffer receive;
  Argument from;  // the former, or MPI_IN_PLACE, or what means nothing on this rank
  Argument to;
  Counts send_counts;
  Counts send_places;
  Counts receive_counts;
  Counts receive_places;
  // Of an alltoallw: one buffer to each rank, then one from each, whose types say where it is.
  std::vector<Buffer> parts;
  std::vector<MPI_Datatype> send_types;
  std::vector<MPI_Datatype> receive_types;
  MPI_Op operation = MPI_OP_NULL;
  bool owns_operation = false;

  // Sets both buffers: what is given and what is expected in the end, data being made from `key`.
  std::function<void(Call&, std::uint64_t key)> fill;
  // Calls MPI.
  std::function<int(Call&, const Way&, MPI_Request*)> begin;

  // MPICH 4.0 does part of the work of the others when they are made, or only once.
  bool may_be_persistent = false;
  MPI_Request request = MPI_REQUEST_NULL;
  bool persistent = false;
  bool pending = false;
  // Of this communicator, unless that was freed.
  Communicator* communicator = nullptr;

  // Fails where a byte is not what it must be. `completion`: how the call was completed.
  void check(const std::string& completion = "") const;
};

// Frees what MPI lets a program free as soon as a call has begun.
void release_types(Call& call);
void release_operation(Call& call);

// Bytes of data that a key makes: the packed bytes of a block from one rank to another (or to all).
Bytes bytes_of(std::uint64_t key, int from, int to, std::size_t bytes);

// Calls a collective by all its names, with the same arguments:
//   DIFFERENTIAL_CALL(way, request, Gather, Igather, sendbuf, ..., comm)
#define DIFFERENTIAL_CALL(way, request, name, iname, ...)            \
  ((way).kind == Kind::kBlocking                                     \
       ? DIFFERENTIAL_NAMES(way, name, __VA_ARGS__)                  \
       : ((way).kind == Kind::kNonblocking                           \
              ? DIFFERENTIAL_NAMES(way, iname, __VA_ARGS__, request) \
              : DIFFERENTIAL_INIT_NAMES(way, name, __VA_ARGS__, MPI_INFO_NULL, request)))

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_CALL_H_
