// The functions that applications reach instead of the MPI library's.
//
// They are declared with register-wide integers and without mpi.h: handles are 32-bit integers in
// MPICH and pointers elsewhere, and calls must pass through unharmed on any MPI library. Each one
// decides whether the runtime is active and delegates.
#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

#define MPIACTOR_EXPORT extern "C" __attribute__((visibility("default")))

namespace mpiactor::interpose {

// Implemented where MPI types are known, see below and lifetime.h.
void begin();
bool is_active();
int bcast_entry(void* buffer, long count, int type, int root, int comm, bool large);

namespace {

// A module that was loaded with RTLD_LOCAL (a plugin, a Python module) keeps its MPI library to
// itself; the runtime's own calls need it to be seen by all.
void make_library_global() {
  for (const char* const name : {"libmpich.so.12", "libmpi.so.12", "libmpich.so", "libmpi.so"}) {
    if (dlopen(name, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD)) return;
  }
}

template <typename Function>
Function* next(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) {
    make_library_global();
    symbol = dlsym(RTLD_DEFAULT, name) ? dlsym(RTLD_NEXT, name) : nullptr;
  }
  if (!symbol) std::abort();  // there is no MPI library, so nobody can have called us
  return reinterpret_cast<Function*>(symbol);
}

int init(const char* name, int* argc, char*** argv) {
  const int error = next<int(int*, char***)>(name)(argc, argv);
  if (error == 0) begin();
  return error;
}

int init_thread(const char* name, int* argc, char*** argv, int required, int* provided) {
  const int error = next<int(int*, char***, int, int*)>(name)(argc, argv, required, provided);
  if (error == 0) begin();
  return error;
}

using WideBcast = int(void*, long, long, long, long);

}  // namespace
}  // namespace mpiactor::interpose

namespace interpose = mpiactor::interpose;

MPIACTOR_EXPORT int MPI_Init(int* argc, char*** argv) {
  return interpose::init("PMPI_Init", argc, argv);
}

MPIACTOR_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return interpose::init_thread("PMPI_Init_thread", argc, argv, required, provided);
}

// Fortran 2008's bindings call these two directly.
MPIACTOR_EXPORT int PMPI_Init(int* argc, char*** argv) {
  return interpose::init("PMPI_Init", argc, argv);
}

MPIACTOR_EXPORT int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return interpose::init_thread("PMPI_Init_thread", argc, argv, required, provided);
}

MPIACTOR_EXPORT int MPI_Bcast(void* buffer, long count, long type, long root, long comm) {
  if (!interpose::is_active()) {
    static auto* const library = interpose::next<interpose::WideBcast>("PMPI_Bcast");
    return library(buffer, count, type, root, comm);
  }
  return interpose::bcast_entry(buffer, static_cast<int>(count), static_cast<int>(type),
                                static_cast<int>(root), static_cast<int>(comm), false);
}

MPIACTOR_EXPORT int MPI_Bcast_c(void* buffer, long count, long type, long root, long comm) {
  if (!interpose::is_active()) {
    static auto* const library = interpose::next<interpose::WideBcast>("PMPI_Bcast_c");
    return library(buffer, count, type, root, comm);
  }
  return interpose::bcast_entry(buffer, count, static_cast<int>(type), static_cast<int>(root),
                                static_cast<int>(comm), true);
}
