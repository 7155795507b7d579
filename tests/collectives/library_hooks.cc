#include "tests/collectives/library_hooks.h"

#include <dlfcn.h>

#include <atomic>

namespace {

std::atomic<void (*)()> after_freeing{nullptr};
std::atomic<void (*)()> before_progress{nullptr};

int free_and_tell(void* comm) {
  static auto* const library = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "PMPI_Comm_free"));
  const int error = library(comm);
  if (void (*const function)() = after_freeing) function();
  return error;
}

}  // namespace

void call_after_freeing(void (*function)()) { after_freeing = function; }

void call_before_progress(void (*function)()) { before_progress = function; }

extern "C" {

// Both, as an MPI library has them.
__attribute__((visibility("default"))) int MPI_Comm_free(void* comm) { return free_and_tell(comm); }
__attribute__((visibility("default"))) int PMPI_Comm_free(void* comm) {
  return free_and_tell(comm);
}

// A request is an int or a pointer.
__attribute__((visibility("default"))) int PMPI_Request_get_status(long request, int* flag,
                                                                   void* status) {
  static auto* const library =
      reinterpret_cast<int (*)(long, int*, void*)>(dlsym(RTLD_NEXT, "PMPI_Request_get_status"));
  if (void (*const function)() = before_progress) function();
  return library(request, flag, status);
}

}  // extern "C"
