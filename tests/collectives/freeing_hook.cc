#include "tests/collectives/freeing_hook.h"

#include <dlfcn.h>

#include <atomic>

namespace {

std::atomic<void (*)()> hook{nullptr};

int free_and_tell(void* comm) {
  static auto* const library = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "PMPI_Comm_free"));
  const int error = library(comm);
  if (void (*const function)() = hook) function();
  return error;
}

}  // namespace

void call_after_freeing(void (*function)()) { hook = function; }

// Both, as an MPI library has them.
extern "C" {
__attribute__((visibility("default"))) int MPI_Comm_free(void* comm) { return free_and_tell(comm); }
__attribute__((visibility("default"))) int PMPI_Comm_free(void* comm) {
  return free_and_tell(comm);
}
}
