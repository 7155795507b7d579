// The modules of the process: where the MPI library's and a tool's functions are, and in which
// module a caller lies. Without MPI's types.
#ifndef MPIACTOR_ACTOR_INTERPOSE_MODULES_H_
#define MPIACTOR_ACTOR_INTERPOSE_MODULES_H_

namespace mpiactor::interpose {

// The function `name` of what is loaded after the runtime: a tool's or the MPI library's; nullptr
// where there is none.
void* find_symbol(const char* name);
// The same where there must be one.
void* next_symbol(const char* name);

// A tool's function `name` that was loaded after the runtime, or nullptr. `profiling_name`: of the
// function that such a tool calls.
void* find_tool(const char* name, const char* profiling_name);
// Whether a tool has a function `name`. Its call by the PMPI_ name may look like the program's: a
// function's last call leaves no address of its own.
bool has_tool(const char* name, const char* profiling_name);

// What the MPI library calls for itself (in MPICH, functions on files do) is not the program's. By
// the caller's address, since that is the same on all ranks: a mark that a thread is inside the
// library would also hold for the calls of a program's callback.
bool is_by_library(const void* return_address);
bool is_by_program(const void* return_address);

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_MODULES_H_
