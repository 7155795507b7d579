// Stand-ins for the run-time libraries of GPUs: they call ranges of ordinary memory a device's.
#ifndef MPIACTOR_TESTS_ACTOR_DEVICE_MEMORY_STAND_IN_H_
#define MPIACTOR_TESTS_ACTOR_DEVICE_MEMORY_STAND_IN_H_

#include <cstddef>

namespace mpiactor::testing {

enum StandInMemory { kUnknown, kPinned, kOnDevice, kManaged };

}  // namespace mpiactor::testing

// From now on the library calls these bytes `kind`. Found with dlsym().
extern "C" void stand_in_call(const void* begin, std::size_t bytes, int kind);
// How often it was asked for an address.
extern "C" long stand_in_questions();

#endif  // MPIACTOR_TESTS_ACTOR_DEVICE_MEMORY_STAND_IN_H_
