// Bytes that this process has from operator new: the runtime's private memory, where the program
// itself takes none. MPI libraries in C take theirs elsewhere.
#ifndef MPIACTOR_TESTS_ACTOR_MEMORY_COUNTED_NEW_H_
#define MPIACTOR_TESTS_ACTOR_MEMORY_COUNTED_NEW_H_

#include <cstdint>

namespace mpiactor::tests {

std::int64_t live_bytes();
// The most since the last call of begin_peak().
std::int64_t peak_bytes();
void begin_peak();

}  // namespace mpiactor::tests

#endif  // MPIACTOR_TESTS_ACTOR_MEMORY_COUNTED_NEW_H_
