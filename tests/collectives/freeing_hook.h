// A library between the runtime and the MPI library.
#ifndef MPIACTOR_TESTS_COLLECTIVES_FREEING_HOOK_H_
#define MPIACTOR_TESTS_COLLECTIVES_FREEING_HOOK_H_

// From now on `function` is called when the MPI library has freed a communicator, in the thread that
// frees it, before the runtime goes on; nullptr: nothing is.
__attribute__((visibility("default"))) void call_after_freeing(void (*function)());

#endif  // MPIACTOR_TESTS_COLLECTIVES_FREEING_HOOK_H_
