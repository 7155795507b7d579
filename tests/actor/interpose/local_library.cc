// A program that keeps its MPI library (MPICH) to itself and calls it there, past the runtime, as
// Python programs do by ctypes: what the library calls for itself still works.
#include <dlfcn.h>

#include <cstdio>

namespace {

// Of MPICH's binary interface.
constexpr int kWorld = 0x44000000;
constexpr int kInt = 0x4c000405;

template <typename Function>
Function* function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

int main() {
  void* const library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "local_library: %s\n", dlerror());
    return 1;
  }
  function<int(int*, char***)>(library, "MPI_Init")(nullptr, nullptr);
  int rank = -1;
  function<int(int, int*)>(library, "MPI_Comm_rank")(kWorld, &rank);
  int values[1000] = {};
  for (int root = 0; root < 2; ++root) {
    if (rank == root) values[999] = 7 + root;
    function<int(void*, int, int, int, int)>(library, "MPI_Bcast")(values, 1000, kInt, root,
                                                                   kWorld);
    if (values[999] != 7 + root) return 1;
  }
  function<int()>(library, "MPI_Finalize")();
  return 0;
}
