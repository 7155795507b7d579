// The modules of the process: where the MPI library's and a tool's functions are, and in which
// module a caller lies. Without MPI's types.
#ifndef MPIACTOR_ACTOR_INTERPOSE_MODULES_H_
#define MPIACTOR_ACTOR_INTERPOSE_MODULES_H_

#include <atomic>
#include <string>

namespace mpiactor::interpose {

// The file of the module that `symbol` lies in.
std::string file_of(const void* symbol);

// The function `name` of what is loaded after the runtime: a tool's or the MPI library's; nullptr
// where there is none.
void* find_symbol(const char* name);
// The same where there must be one.
void* next_symbol(const char* name);

// The same; for a function for large counts that the MPI library does not have, one made of others.
void* find_called(const char* name);

// A tool's function `name` that was loaded after the runtime, or nullptr.
void* find_tool(const char* name);
// The same, wherever it was loaded. Its call by the PMPI_ name may look like the program's: a
// function's last call leaves no address of its own.
void* find_any_tool(const char* name);

// What the MPI library calls for itself (in MPICH, functions on files do) is not the program's. By
// the caller's address, since that is the same on all ranks: a mark that a thread is inside the
// library would also hold for the calls of a program's callback.
bool is_by_library(const void* return_address);
bool is_by_program(const void* return_address);

// A function that is found by its name. Before MPI_Init, and when MPI_Finalize has begun, it is
// found anew at each call: the program may unload the MPI library. In between it is known: a first
// call may come while another thread is in dlopen(), where a constructor waits for it.
//
// All lie in one section (MPIACTOR_FOUND), side by side: nothing has to be constructed when the
// runtime is loaded, before which a constructor of another library may call MPI_Init.
class alignas(32) FoundFunction {
 public:
  // `find`: one of the functions above.
  constexpr FoundFunction(const char* name, void* (*find)(const char*))
      : name_(name), find_(find) {}

  template <typename Function>
  Function* as() const {
    void* const found = is_known_.load(std::memory_order_acquire)
                            ? known_.load(std::memory_order_relaxed)
                            : find_(name_);
    return reinterpret_cast<Function*>(found);
  }

  // When the runtime begins, and ends.
  static void find_all();
  static void forget_all();

 private:
  void know() {
    known_.store(find_(name_), std::memory_order_relaxed);
    is_known_.store(true, std::memory_order_release);
  }

  const char* name_;
  void* (*find_)(const char*);
  std::atomic<void*> known_{nullptr};
  std::atomic<bool> is_known_{false};
};
static_assert(sizeof(FoundFunction) == 32);

// clang-format off
#define MPIACTOR_FOUND(variable, name, find)          \
  [[gnu::section("mpiactor_found"), gnu::used]]       \
  static constinit mpiactor::interpose::FoundFunction \
  variable(name, find)
// clang-format on

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_MODULES_H_
