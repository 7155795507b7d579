// The functions behind a preload's own; the runtime looks for UCX's, too.
#ifndef MPIACTOR_ACTOR_POLITE_NEXT_DEFINITION_H_
#define MPIACTOR_ACTOR_POLITE_NEXT_DEFINITION_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace mpiactor::polite {

/// The next definition of `name` after this library; also found where the library `soname` was
/// loaded privately: MPI libraries load plugins so, and Python MPI libraries. Ends the process
/// where there is none: the caller could only be linked against a definition that has gone.
inline void* next_definition(const char* name, const char* soname) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    void* library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) found = dlsym(library, name);
  }
  if (found == nullptr) {
    std::fprintf(stderr, "mpiactor: %s was called, but %s is not loaded\n", name, soname);
    std::abort();
  }
  return found;
}

}  // namespace mpiactor::polite

#endif  // MPIACTOR_ACTOR_POLITE_NEXT_DEFINITION_H_
