// Buffers whose every byte is compared: what the data covers, the gaps in it, and guards on both
// sides.
#ifndef MPIACTOR_TESTS_COLLECTIVES_MEMORY_H_
#define MPIACTOR_TESTS_COLLECTIVES_MEMORY_H_

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/collectives/calls.h"
#include "tests/collectives/harness.h"
#include "tests/collectives/types.h"

namespace mpiactor::testing {

// Where the blocks of a call lie: block i is units[i] units at displacement at[i], which counts
// extents of the form's type, as MPI's v-variants do.
struct Blocks {
  std::vector<int> units;
  std::vector<int> at;
  std::vector<int> counts(const Form& form) const;
};

// Equal blocks, one behind the other.
Blocks equal_blocks(const Form& form, int blocks, int units);
// Random blocks, some of them empty, in random order and with gaps between them; about `units`
// each.
Blocks random_blocks(const Form& form, int blocks, int units, Random& random);
// The units given, at random places as above.
Blocks place_blocks(const Form& form, std::vector<int> units, Random& random);

class Memory {
 public:
  Memory() = default;  // no buffer: a null pointer
  // Covers the blocks; filled with random bytes.
  Memory(const Form& form, const Blocks& blocks, Random& random);
  // Covers `units` units at the origin.
  Memory(const Form& form, int units, Random& random);

  // What is passed to MPI.
  void* origin() { return bytes_.empty() ? nullptr : bytes_.data() + origin_; }
  std::vector<std::byte>& bytes() { return bytes_; }

  // Fails the case at the first byte that differs.
  void check_equals(const Memory& expected, const Case& at, const char* what) const;

 private:
  void cover(MPI_Aint lower, MPI_Aint upper, Random& random);

  std::vector<std::byte> bytes_;
  std::size_t origin_ = 0;
};

// The buffers of one call on one rank.
struct Buffers {
  Memory send;
  Memory receive;
};

// Runs call(calls, buffers) once with the library's collectives and once with the program's, on
// equal buffers, in either order; compares every byte of both buffers.
template <typename Call>
void compare(Case& at, const Buffers& buffers, Call&& call) {
  Buffers by_library = buffers;
  Buffers by_program = buffers;
  const bool program_first = at.shared.one_in(2);
  at.maybe_sleep();
  if (program_first) call(kProgram, by_program);
  call(kLibrary, by_library);
  at.maybe_sleep();
  if (!program_first) call(kProgram, by_program);
  by_program.send.check_equals(by_library.send, at, "send buffer");
  by_program.receive.check_equals(by_library.receive, at, "receive buffer");
}

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_MEMORY_H_
