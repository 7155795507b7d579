// The functions behind a preload's own; the runtime looks for UCX's, too.
#ifndef MPIACTOR_ACTOR_POLITE_NEXT_DEFINITION_H_
#define MPIACTOR_ACTOR_POLITE_NEXT_DEFINITION_H_

#include <dlfcn.h>
#include <link.h>

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

/// The definition of `name` that code at `address` would find in its own module and in the
/// libraries with which that was linked, or null. In a program it is that of what was preloaded, if
/// any.
inline void* definition_for(const void* address, const char* name) {
  Dl_info info;
  void* map = nullptr;
  if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr) return nullptr;
  const char* const path = static_cast<link_map*>(map)->l_name;
  void* const module = dlopen(*path != '\0' ? path : nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (module == nullptr) return nullptr;
  void* const found = dlsym(module, name);
  dlclose(module);
  return found;
}

}  // namespace mpiactor::polite

#endif  // MPIACTOR_ACTOR_POLITE_NEXT_DEFINITION_H_
