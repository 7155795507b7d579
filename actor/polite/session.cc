// Keeps all ranks of a machine in one scheduler group.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "actor/polite/polite.h"

namespace mpiactor::polite {
namespace {

using SetsidFunction = pid_t (*)();

constinit std::atomic<SetsidFunction> next_setsid{nullptr};

bool starts_with(const char* text, const char* prefix) {
  return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

/// True in the launcher and its proxies, which start the ranks: an application's own sessions are
/// none of our business.
bool starts_ranks() {
  return starts_with(program_invocation_short_name, "mpiexec") ||
         starts_with(program_invocation_short_name, "hydra_");
}

}  // namespace
}  // namespace mpiactor::polite

/// Stands in front of the C library's function of this name. The launcher gives every rank a
/// session of its own; with the kernel's automatic grouping each session is a scheduler group, and
/// a yield gives way only inside its group, so to nobody. A process group of its own is all that
/// the launcher needs to signal its children.
extern "C" __attribute__((visibility("default"))) pid_t setsid() noexcept {
  using namespace mpiactor::polite;
  if (!starts_ranks()) {
    return next_function(next_setsid, "setsid", "libc.so.6")();
  }
  // The C library's contract: a leader of a process group cannot start a session.
  if (getpgrp() == getpid()) {
    errno = EPERM;
    return -1;
  }
  if (setpgid(0, 0) != 0) return -1;
  return getpid();
}
