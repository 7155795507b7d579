// A library between the runtime and the MPI library: what a thread does is held up there.
#ifndef MPIACTOR_TESTS_COLLECTIVES_LIBRARY_HOOKS_H_
#define MPIACTOR_TESTS_COLLECTIVES_LIBRARY_HOOKS_H_

// From now on `function` is called when the MPI library has freed a communicator, in the thread
// that frees it, before the runtime goes on; nullptr: nothing is.
__attribute__((visibility("default"))) void call_after_freeing(void (*function)());

// The same before the runtime lets the MPI library work, of which it asks a request's state.
__attribute__((visibility("default"))) void call_before_progress(void (*function)());

#endif  // MPIACTOR_TESTS_COLLECTIVES_LIBRARY_HOOKS_H_
