// The functions that applications reach instead of the MPI library's, under both of their names.
//
// They are declared without mpi.h, with the register-wide arguments of entries.h. Each one decides
// whether the call is the runtime's and delegates.
//
// A tool (a profiler) has functions of its own by the plain names, which call those with PMPI_. One
// that is loaded before the runtime is called by the program, and calls the runtime. One that is
// loaded after it would be hidden by the runtime: so it is called first, and calls the runtime too.
// Fortran 2008's bindings call many functions by their PMPI_ names.
#include "actor/interpose/entries.h"

#include <atomic>

#include "actor/background/background.h"
#include "actor/container/look_due.h"
#include "actor/interpose/lifetime.h"
#include "actor/interpose/modules.h"
#include "actor/trace/call_site.h"

#define MPIACTOR_EXPORT extern "C" __attribute__((visibility("default")))

namespace mpiactor::interpose {
namespace {

// Calls a function of the MPI library. That may call the program's (a user's operation), which
// shall find itself on the stack of its own thread.
template <typename Call>
int on_own_stack(Call call) {
  if (!background::inside()) [[likely]]
    return call();
  struct Errand {
    Call& call;
    int result;
  } errand{call, 0};
  background::on_callers_stack(
      [](void* argument) {
        auto& of = *static_cast<Errand*>(argument);
        of.result = of.call();
      },
      &errand);
  return errand.result;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(next_symbol(name));
}

// The call of a function that the MPI library does not have.
int missing(const char* name, long comm) {
  const long error = say_missing(name);
  next<int(long, long)>("PMPI_Comm_call_errhandler")(comm, error);
  return static_cast<int>(error);
}

// From the beginning of MPI_Init to the end of begin().
std::atomic<bool> is_beginning{false};
thread_local bool begins_here = false;

template <typename Library>
int initialise(Library library) {
  is_beginning = begins_here = true;
  const int error = library();
  if (error == 0) begin();
  is_beginning = begins_here = false;
  return error;
}

int init(int* argc, char*** argv) {
  auto* const library = next<int(int*, char***)>("PMPI_Init");
  return initialise([&] { return library(argc, argv); });
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  auto* const library = next<int(int*, char***, int, int*)>("PMPI_Init_thread");
  return initialise([&] { return library(argc, argv, required, provided); });
}

MPIACTOR_FOUND(library_initialized, "PMPI_Initialized", find_symbol);

// A thread that waits for it begins collectives then: all of them on all ranks are to be handled.
// Programs without MPI ask, too, whether they have it, and may load it later.
int initialized(int* flag) {
  using Function = int(int*);
  // Where nothing is handled nobody says when the library may go.
  auto* const library = is_active() ? library_initialized.as<Function>()
                                    : reinterpret_cast<Function*>(find_symbol("PMPI_Initialized"));
  const int error = library ? library(flag) : (*flag = 0);
  if (error == 0 && is_beginning && !begins_here) *flag = 0;
  return error;
}

MPIACTOR_FOUND(library_session_init, "PMPI_Session_init", find_symbol);

int session_init(long info, long handler, void* session) {
  auto* const library = library_session_init.as<int(long, long, void*)>();
  if (!library) return static_cast<int>(say_missing("MPI_Session_init"));
  note_session();
  const int error = library(info, handler, session);
  if (error == 0) FoundFunction::find_all();
  return error;
}

}  // namespace
}  // namespace mpiactor::interpose

namespace interpose = mpiactor::interpose;

// Exports `name`, which does `...`, after a tool's function of that name: `by_tool`, in which
// `tool` is that function.
#define MPIACTOR_PLAIN_NAME_BY(name, parameters, by_tool, ...) \
  MPIACTOR_FOUND(tool_of_##name, #name, interpose::find_tool); \
  MPIACTOR_EXPORT int name parameters {                        \
    auto* const tool = tool_of_##name.as<int parameters>();    \
    return tool ? (by_tool) : (__VA_ARGS__);                   \
  }                                                            \
  static_assert(true)
#define MPIACTOR_PLAIN_NAME(name, parameters, arguments, ...) \
  MPIACTOR_PLAIN_NAME_BY(name, parameters, tool arguments, __VA_ARGS__)

MPIACTOR_EXPORT int PMPI_Init(int* argc, char*** argv) { return interpose::init(argc, argv); }
MPIACTOR_EXPORT int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return interpose::init_thread(argc, argv, required, provided);
}
MPIACTOR_PLAIN_NAME(MPI_Init, (int* argc, char*** argv), (argc, argv), interpose::init(argc, argv));
MPIACTOR_PLAIN_NAME(MPI_Init_thread, (int* argc, char*** argv, int required, int* provided),
                    (argc, argv, required, provided),
                    interpose::init_thread(argc, argv, required, provided));

MPIACTOR_EXPORT int PMPI_Initialized(int* flag) { return interpose::initialized(flag); }
MPIACTOR_PLAIN_NAME(MPI_Initialized, (int* flag), (flag), interpose::initialized(flag));

MPIACTOR_EXPORT int PMPI_Session_init(long info, long handler, void* session) {
  return interpose::session_init(info, handler, session);
}
MPIACTOR_PLAIN_NAME(MPI_Session_init, (long info, long handler, void* session),
                    (info, handler, session), interpose::session_init(info, handler, session));

// Defines __wrap_PMPI_..., the MPI library's own function, which whoever calls PMPI_... in the
// runtime calls: the linker exchanges the names (BUILD.bazel). `handle`: the communicator whose
// error it is where the library has no such function; 0 where each has, or find_called() has.
#define MPIACTOR_LIBRARY_FUNCTION(name, parameters, arguments, handle) \
  MPIACTOR_FOUND(library_##name, "P" #name, interpose::find_called);   \
  extern "C" int __wrap_P##name parameters {                           \
    auto* const library = library_##name.as<int parameters>();         \
    if (!library) return interpose::missing(#name, handle);            \
    return interpose::on_own_stack([&] { return library arguments; }); \
  }                                                                    \
  static_assert(true)

// Defines `name` and its PMPI_ name: `...` while the runtime is active, else the MPI library's own
// function. `is_not_ours`: of whose calls by the PMPI_ name. `by_tool`: as above.
#define MPIACTOR_WHILE_ACTIVE_BY(name, parameters, arguments, handle, is_not_ours, by_tool, ...) \
  MPIACTOR_LIBRARY_FUNCTION(name, parameters, arguments, handle);                                \
  MPIACTOR_FOUND(any_tool_of_##name, #name, interpose::find_any_tool);                           \
  MPIACTOR_EXPORT int P##name parameters {                                                       \
    [[maybe_unused]] const bool has_tool = any_tool_of_##name.as<int parameters>();              \
    return interpose::is_active() && !(is_not_ours) ? __VA_ARGS__ : __wrap_P##name arguments;    \
  }                                                                                              \
  MPIACTOR_PLAIN_NAME_BY(name, parameters, by_tool,                                              \
                         interpose::is_active() ? __VA_ARGS__ : __wrap_P##name arguments)
#define MPIACTOR_WHILE_ACTIVE(name, parameters, arguments, handle, is_not_ours, ...)         \
  MPIACTOR_WHILE_ACTIVE_BY(name, parameters, arguments, handle, is_not_ours, tool arguments, \
                           __VA_ARGS__)

#define MPIACTOR_BY_LIBRARY interpose::is_by_library(__builtin_return_address(0))
// Where there is no tool, a program that calls a PMPI_ function means the MPI library's.
#define MPIACTOR_BY_LIBRARY_OR_PROGRAM \
  MPIACTOR_BY_LIBRARY || (!has_tool && interpose::is_by_program(__builtin_return_address(0)))

// The runtime's entry while that is active.
#define MPIACTOR_TAKE_OVER(name, parameters, arguments)                  \
  MPIACTOR_ENTRY_TAG(name);                                              \
  MPIACTOR_WHILE_ACTIVE(                                                 \
      name, parameters, arguments, comm, MPIACTOR_BY_LIBRARY_OR_PROGRAM, \
      (mpiactor::trace::enter_from(__builtin_return_address(0)),         \
       interpose::EntryOf<interpose::name##_tag, int parameters>::function arguments))

// The same, and its form for large counts.
#define MPIACTOR_TAKE_OVER_BOTH(name, parameters, arguments) \
  MPIACTOR_TAKE_OVER(name, parameters, arguments);           \
  MPIACTOR_TAKE_OVER(name##_c, parameters, arguments)

// A collective that is blocking, nonblocking and persistent; `parameters` and `arguments`: what all
// three have.
#define MPIACTOR_LIST(...) __VA_ARGS__
#define MPIACTOR_TAKE_OVER_FORMS(take_over, name, nonblocking, parameters, arguments) \
  take_over(name, parameters, arguments);                                             \
  take_over(nonblocking, (MPIACTOR_LIST parameters, void* request),                   \
            (MPIACTOR_LIST arguments, request));                                      \
  take_over(name##_init, (MPIACTOR_LIST parameters, long info, void* request),        \
            (MPIACTOR_LIST arguments, info, request))

MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER, MPI_Barrier, MPI_Ibarrier, (long comm), (comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Bcast, MPI_Ibcast,
                         (void* buffer, long count, long type, long root, long comm),
                         (buffer, count, type, root, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Reduce, MPI_Ireduce,
                         (const void* send, void* recv, long count, long type, long op, long root,
                          long comm),
                         (send, recv, count, type, op, root, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Allreduce, MPI_Iallreduce,
                         (const void* send, void* recv, long count, long type, long op, long comm),
                         (send, recv, count, type, op, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Reduce_scatter, MPI_Ireduce_scatter,
                         (const void* send, void* recv, const void* counts, long type, long op,
                          long comm),
                         (send, recv, counts, type, op, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Reduce_scatter_block,
                         MPI_Ireduce_scatter_block,
                         (const void* send, void* recv, long count, long type, long op, long comm),
                         (send, recv, count, type, op, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Allgather, MPI_Iallgather,
                         (const void* send, long send_count, long send_type, void* recv,
                          long recv_count, long recv_type, long comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Allgatherv, MPI_Iallgatherv,
                         (const void* send, long send_count, long send_type, void* recv,
                          const void* counts, const void* displacements, long recv_type, long comm),
                         (send, send_count, send_type, recv, counts, displacements, recv_type,
                          comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Alltoall, MPI_Ialltoall,
                         (const void* send, long send_count, long send_type, void* recv,
                          long recv_count, long recv_type, long comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Gather, MPI_Igather,
                         (const void* send, long send_count, long send_type, void* recv,
                          long recv_count, long recv_type, long root, long comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, root, comm));
MPIACTOR_TAKE_OVER_FORMS(MPIACTOR_TAKE_OVER_BOTH, MPI_Scatter, MPI_Iscatter,
                         (const void* send, long send_count, long send_type, void* recv,
                          long recv_count, long recv_type, long root, long comm),
                         (send, send_count, send_type, recv, recv_count, recv_type, root, comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Gatherv,
                        (const void* send, long send_count, long send_type, void* recv,
                         const void* counts, const void* displacements, long recv_type, long root,
                         long comm),
                        (send, send_count, send_type, recv, counts, displacements, recv_type, root,
                         comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Scatterv,
                        (const void* send, const void* counts, const void* displacements,
                         long send_type, void* recv, long recv_count, long recv_type, long root,
                         long comm),
                        (send, counts, displacements, send_type, recv, recv_count, recv_type, root,
                         comm));
MPIACTOR_TAKE_OVER_BOTH(MPI_Alltoallv,
                        (const void* send, const void* send_counts, const void* send_displacements,
                         long send_type, void* recv, const void* recv_counts,
                         const void* recv_displacements, long recv_type, long comm),
                        (send, send_counts, send_displacements, send_type, recv, recv_counts,
                         recv_displacements, recv_type, comm));

MPIACTOR_ENTRY_TAG(MPI_Startall);
MPIACTOR_ENTRY_TAG(MPI_Request_free);

namespace mpiactor::interpose {
namespace {

// Whether the tool's MPI_Start or MPI_Startall that runs has come here.
thread_local bool has_come = false;

// Begins the persistent collectives among requests that the MPI library has started.
int after_start(int error, const void* requests, long count) {
  has_come = true;
  if (error == 0) EntryOf<MPI_Startall_tag, void(const void*, long)>::function(requests, count);
  return error;
}

// A tool may call the MPI library past the runtime, and knows nothing of collectives that start.
template <typename Tool>
int start_by_tool(Tool tool, const void* requests, long count) {
  has_come = false;
  const int error = tool();
  return has_come || !is_active() ? error : after_start(error, requests, count);
}

void before_free(const void* request) {
  EntryOf<MPI_Request_free_tag, void(const void*)>::function(request);
}

template <typename Tool>
int free_by_tool(Tool* tool, void* request) {
  if (is_active()) before_free(request);
  return tool(request);
}

}  // namespace
}  // namespace mpiactor::interpose

MPIACTOR_WHILE_ACTIVE_BY(MPI_Start, (void* request), (request), 0, MPIACTOR_BY_LIBRARY,
                         interpose::start_by_tool([&] { return tool(request); }, request, 1),
                         (mpiactor::trace::enter_from(__builtin_return_address(0)),
                          interpose::after_start(__wrap_PMPI_Start(request), request, 1)));
MPIACTOR_WHILE_ACTIVE_BY(
    MPI_Startall, (long count, void* requests), (count, requests), 0, MPIACTOR_BY_LIBRARY,
    interpose::start_by_tool([&] { return tool(count, requests); }, requests, count),
    (mpiactor::trace::enter_from(__builtin_return_address(0)),
     interpose::after_start(__wrap_PMPI_Startall(count, requests), requests, count)));
MPIACTOR_WHILE_ACTIVE_BY(MPI_Request_free, (void* request), (request), 0, MPIACTOR_BY_LIBRARY,
                         interpose::free_by_tool(tool, request),
                         (interpose::before_free(request), __wrap_PMPI_Request_free(request)));
MPIACTOR_WHILE_ACTIVE(MPI_Comm_free, (void* comm), (comm), 0, MPIACTOR_BY_LIBRARY,
                      interpose::end_communicator(comm, __wrap_PMPI_Comm_free));
MPIACTOR_WHILE_ACTIVE(MPI_Comm_disconnect, (void* comm), (comm), 0, MPIACTOR_BY_LIBRARY,
                      interpose::end_communicator(comm, __wrap_PMPI_Comm_disconnect));

// Functions that look whether something has come before they let the network work. Programs call
// some of them without end, so nothing is asked first but whether a look is due.
#define MPIACTOR_LOOKS(name, parameters, arguments)                          \
  MPIACTOR_LIBRARY_FUNCTION(name, parameters, arguments, 0);                 \
  MPIACTOR_FOUND(any_tool_of_##name, #name, interpose::find_any_tool);       \
  MPIACTOR_FOUND(next_##name, #name, interpose::find_symbol);                \
  MPIACTOR_EXPORT int P##name parameters {                                   \
    const bool has_tool = any_tool_of_##name.as<int parameters>();           \
    if (mpiactor::may_have_to_look() && !(MPIACTOR_BY_LIBRARY_OR_PROGRAM)) { \
      interpose::before_a_look();                                            \
    }                                                                        \
    return __wrap_P##name arguments;                                         \
  }                                                                          \
  MPIACTOR_EXPORT int name parameters {                                      \
    if (mpiactor::may_have_to_look()) interpose::before_a_look();            \
    return next_##name.as<int parameters>() arguments;                       \
  }                                                                          \
  static_assert(true)

MPIACTOR_LOOKS(MPI_Iprobe, (long source, long tag, long comm, void* flag, void* status),
               (source, tag, comm, flag, status));
MPIACTOR_LOOKS(MPI_Improbe,
               (long source, long tag, long comm, void* flag, void* message, void* status),
               (source, tag, comm, flag, message, status));
MPIACTOR_LOOKS(MPI_Win_test, (long window, void* flag), (window, flag));
MPIACTOR_LOOKS(MPI_Cancel, (void* request), (request));
MPIACTOR_LOOKS(MPI_Test, (void* request, void* flag, void* status), (request, flag, status));
MPIACTOR_LOOKS(MPI_Testall, (long count, void* requests, void* flag, void* statuses),
               (count, requests, flag, statuses));
MPIACTOR_LOOKS(MPI_Testany, (long count, void* requests, void* index, void* flag, void* status),
               (count, requests, index, flag, status));
MPIACTOR_LOOKS(MPI_Testsome,
               (long count, void* requests, void* completed, void* indices, void* statuses),
               (count, requests, completed, indices, statuses));
MPIACTOR_LOOKS(MPI_Request_get_status, (long request, void* flag, void* status),
               (request, flag, status));

// What the runtime calls alone (BUILD.bazel).
#include "actor/interpose/called_functions.inc"
