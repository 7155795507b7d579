// Open MPI has a list of functions that its progress loop calls.
#include <dlfcn.h>

#include "actor/background/background.h"
#include "actor/container/progress.h"
#include "actor/interpose/hearing.h"

namespace mpiactor {
namespace {

int on_turn() { return background::progress() ? 1 : 0; }

using Register = int(int (*on_turn)());

Register* library_function(const char* name) {
  return reinterpret_cast<Register*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void begin_hearing_progress() {
  Register* const begin = library_function("opal_progress_register");
  library_calls_back = begin && library_function("opal_progress_unregister") && begin(on_turn) == 0;
}

void end_hearing_progress() {
  if (library_calls_back) library_function("opal_progress_unregister")(on_turn);
  library_calls_back = false;
}

}  // namespace mpiactor
