// The functions that applications reach instead of the MPI library's.
//
// They are declared without mpi.h, with the register-wide arguments of entries.h. Each one decides
// whether the runtime is active and delegates.
#include "actor/interpose/entries.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

#include "actor/trace/call_site.h"

#define MPIACTOR_EXPORT extern "C" __attribute__((visibility("default")))

namespace mpiactor::interpose {

// Implemented where MPI types are known, see lifetime.h.
void begin();
bool is_active();
int end_communicator(void* comm, int (*library)(void*));
void before_a_look();

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

// Defines `name`: the runtime's entry while that is active, else the MPI library's own.
#define MPIACTOR_TAKE_OVER(name, parameters, arguments)                                   \
  MPIACTOR_ENTRY_TAG(name);                                                               \
  MPIACTOR_EXPORT int name parameters {                                                   \
    if (!interpose::is_active()) {                                                        \
      static auto* const library = interpose::next<int parameters>("P" #name);            \
      return library arguments;                                                           \
    }                                                                                     \
    mpiactor::trace::enter_from(__builtin_return_address(0));                             \
    return interpose::EntryOf<interpose::name##_tag, int parameters>::function arguments; \
  }                                                                                       \
  static_assert(true)

// The same, and its form for large counts.
#define MPIACTOR_TAKE_OVER_BOTH(name, parameters, arguments) \
  MPIACTOR_TAKE_OVER(name, parameters, arguments);           \
  MPIACTOR_TAKE_OVER(name##_c, parameters, arguments)

MPIACTOR_TAKE_OVER_BOTH(MPI_Bcast, (void* buffer, long count, long type, long root, long comm),
                        (buffer, count, type, root, comm));
MPIACTOR_TAKE_OVER(MPI_Barrier, (long comm), (comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Reduce,
                        (const void* send, void* recv, long count, long type, long op, long root,
                         long comm),
                        (send, recv, count, type, op, root, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Allreduce,
                        (const void* send, void* recv, long count, long type, long op, long comm),
                        (send, recv, count, type, op, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Reduce_scatter,
                        (const void* send, void* recv, const void* counts, long type, long op,
                         long comm),
                        (send, recv, counts, type, op, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Reduce_scatter_block,
                        (const void* send, void* recv, long count, long type, long op, long comm),
                        (send, recv, count, type, op, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Allgather,
                        (const void* send, long send_count, long send_type, void* recv,
                         long recv_count, long recv_type, long comm),
                        (send, send_count, send_type, recv, recv_count, recv_type, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Allgatherv,
                        (const void* send, long send_count, long send_type, void* recv,
                         const void* counts, const void* displacements, long recv_type, long comm),
                        (send, send_count, send_type, recv, counts, displacements, recv_type,
                         comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Gather,
                        (const void* send, long send_count, long send_type, void* recv,
                         long recv_count, long recv_type, long root, long comm),
                        (send, send_count, send_type, recv, recv_count, recv_type, root, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Gatherv,
                        (const void* send, long send_count, long send_type, void* recv,
                         const void* counts, const void* displacements, long recv_type, long root,
                         long comm),
                        (send, send_count, send_type, recv, counts, displacements, recv_type, root,
                         comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Scatter,
                        (const void* send, long send_count, long send_type, void* recv,
                         long recv_count, long recv_type, long root, long comm),
                        (send, send_count, send_type, recv, recv_count, recv_type, root, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Scatterv,
                        (const void* send, const void* counts, const void* displacements,
                         long send_type, void* recv, long recv_count, long recv_type, long root,
                         long comm),
                        (send, counts, displacements, send_type, recv, recv_count, recv_type, root,
                         comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Alltoall,
                        (const void* send, long send_count, long send_type, void* recv,
                         long recv_count, long recv_type, long comm),
                        (send, send_count, send_type, recv, recv_count, recv_type, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Alltoallv,
                        (const void* send, const void* send_counts, const void* send_displacements,
                         long send_type, void* recv, const void* recv_counts,
                         const void* recv_displacements, long recv_type, long comm),
                        (send, send_counts, send_displacements, send_type, recv, recv_counts,
                         recv_displacements, recv_type, comm));
MPIACTOR_TAKE_OVER(MPI_Ibarrier, (long comm, void* request), (comm, request));
MPIACTOR_TAKE_OVER_BOTH(MPI_Ibcast,
                        (void* buffer, long count, long type, long root, long comm, void* request),
                        (buffer, count, type, root, comm, request));
MPIACTOR_TAKE_OVER_BOTH(MPI_Ireduce,
                        (const void* send, void* recv, long count, long type, long op, long root,
                         long comm, void* request),
                        (send, recv, count, type, op, root, comm, request));
MPIACTOR_TAKE_OVER_BOTH(MPI_Iallreduce,
                        (const void* send, void* recv, long count, long type, long op, long comm,
                         void* request),
                        (send, recv, count, type, op, comm, request));
MPIACTOR_TAKE_OVER_BOTH(MPI_Bcast_init,
                        (void* buffer, long count, long type, long root, long comm, long info,
                         void* request),
                        (buffer, count, type, root, comm, info, request));
MPIACTOR_TAKE_OVER_BOTH(MPI_Allreduce_init,
                        (const void* send, void* recv, long count, long type, long op, long comm,
                         long info, void* request),
                        (send, recv, count, type, op, comm, info, request));

MPIACTOR_ENTRY_TAG(MPI_Startall);
MPIACTOR_ENTRY_TAG(MPI_Request_free);

namespace mpiactor::interpose {
namespace {

void started(const void* requests, long count) {
  EntryOf<MPI_Startall_tag, void(const void*, long)>::function(requests, count);
}

int start(void* request) {
  static auto* const library = next<int(void*)>("PMPI_Start");
  const int error = library(request);
  if (error == 0 && is_active()) started(request, 1);
  return error;
}

int start_all(long count, void* requests) {
  static auto* const library = next<int(long, void*)>("PMPI_Startall");
  const int error = library(count, requests);
  if (error == 0 && is_active()) started(requests, count);
  return error;
}

int free_request(void* request) {
  if (is_active()) EntryOf<MPI_Request_free_tag, void(const void*)>::function(request);
  static auto* const library = next<int(void*)>("PMPI_Request_free");
  return library(request);
}

}  // namespace
}  // namespace mpiactor::interpose

// Fortran 2008's bindings call the second of each pair directly.
MPIACTOR_EXPORT int MPI_Start(void* request) {
  mpiactor::trace::enter_from(__builtin_return_address(0));
  return interpose::start(request);
}
MPIACTOR_EXPORT int PMPI_Start(void* request) {
  mpiactor::trace::enter_from(__builtin_return_address(0));
  return interpose::start(request);
}
MPIACTOR_EXPORT int MPI_Startall(long count, void* requests) {
  mpiactor::trace::enter_from(__builtin_return_address(0));
  return interpose::start_all(count, requests);
}
MPIACTOR_EXPORT int PMPI_Startall(long count, void* requests) {
  mpiactor::trace::enter_from(__builtin_return_address(0));
  return interpose::start_all(count, requests);
}
MPIACTOR_EXPORT int MPI_Request_free(void* request) { return interpose::free_request(request); }
MPIACTOR_EXPORT int PMPI_Request_free(void* request) { return interpose::free_request(request); }

// Fortran 2008's MPI_Barrier and MPI_Ibarrier call the PMPI functions directly. A handle is a
// structure around an integer here; an absent error code is a null pointer.
MPIACTOR_EXPORT void mpi_barrier_f08_(const int* comm, int* error_code) {
  if (!interpose::is_active()) {
    static auto* const library = interpose::next<void(const int*, int*)>("mpi_barrier_f08_");
    return library(comm, error_code);
  }
  const int error = interpose::EntryOf<interpose::MPI_Barrier_tag, int(long)>::function(*comm);
  if (error_code) *error_code = error;
}
MPIACTOR_EXPORT void mpi_ibarrier_f08_(const int* comm, int* request, int* error_code) {
  if (!interpose::is_active()) {
    static auto* const library = interpose::next<void(const int*, int*, int*)>("mpi_ibarrier_f08_");
    return library(comm, request, error_code);
  }
  const int error =
      interpose::EntryOf<interpose::MPI_Ibarrier_tag, int(long, void*)>::function(*comm, request);
  if (error_code) *error_code = error;
}

namespace mpiactor::interpose {
namespace {

int end_communicator_with(const char* name, void* comm) {
  auto* const library = next<int(void*)>(name);
  return is_active() ? end_communicator(comm, library) : library(comm);
}

}  // namespace
}  // namespace mpiactor::interpose

// Functions that look whether something has come before they let the network work: exported `name`
// looks at the network and calls `library_name`.
#define MPIACTOR_LOOKS(Result, name, library_name, parameters, arguments)          \
  MPIACTOR_EXPORT Result name parameters {                                         \
    static auto* const library = interpose::next<Result parameters>(library_name); \
    if (interpose::is_active()) interpose::before_a_look();                        \
    return library arguments;                                                      \
  }                                                                                \
  static_assert(true)

MPIACTOR_LOOKS(int, MPI_Iprobe, "PMPI_Iprobe",
               (long source, long tag, long comm, void* flag, void* status),
               (source, tag, comm, flag, status));
MPIACTOR_LOOKS(int, MPI_Improbe, "PMPI_Improbe",
               (long source, long tag, long comm, void* flag, void* message, void* status),
               (source, tag, comm, flag, message, status));
MPIACTOR_LOOKS(int, MPI_Win_test, "PMPI_Win_test", (long window, void* flag), (window, flag));
MPIACTOR_LOOKS(int, MPI_Cancel, "PMPI_Cancel", (void* request), (request));

// Those of Fortran 2008, which call the PMPI functions directly. All arguments are addresses.
MPIACTOR_LOOKS(void, mpi_iprobe_f08_, "mpi_iprobe_f08_",
               (void* source, void* tag, void* comm, void* flag, void* status, void* error_code),
               (source, tag, comm, flag, status, error_code));
MPIACTOR_LOOKS(void, mpi_improbe_f08_, "mpi_improbe_f08_",
               (void* source, void* tag, void* comm, void* flag, void* message, void* status,
                void* error_code),
               (source, tag, comm, flag, message, status, error_code));
MPIACTOR_LOOKS(void, mpi_win_test_f08_, "mpi_win_test_f08_",
               (void* window, void* flag, void* error_code), (window, flag, error_code));
MPIACTOR_LOOKS(void, mpi_cancel_f08_, "mpi_cancel_f08_", (void* request, void* error_code),
               (request, error_code));

// As with requests.
MPIACTOR_EXPORT int MPI_Comm_free(void* comm) {
  return interpose::end_communicator_with("PMPI_Comm_free", comm);
}
MPIACTOR_EXPORT int PMPI_Comm_free(void* comm) {
  return interpose::end_communicator_with("PMPI_Comm_free", comm);
}
MPIACTOR_EXPORT int MPI_Comm_disconnect(void* comm) {
  return interpose::end_communicator_with("PMPI_Comm_disconnect", comm);
}
MPIACTOR_EXPORT int PMPI_Comm_disconnect(void* comm) {
  return interpose::end_communicator_with("PMPI_Comm_disconnect", comm);
}
