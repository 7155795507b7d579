// Runs with the polite preload in front and does what MPI libraries and launchers do:
//   preload_probe polls LIBRARY global|local EMPTY EVENTFUL [beside]
//       loads a UCX, polls it EMPTY times without and EVENTFUL times with an event before each,
//       then disconnects twice as MPI libraries do, waits 50 ms, destroys the worker, waits again;
//       prints "polls=N flushes=N request=0|1 destroyed=N", and who else polled: "waiting=0|1
//       after=N"; beside: before that, as a program that uses UCX itself, polls a second worker,
//       closes and destroys it, and prints of that one "own_flushes=N own_polls=N"
//   preload_probe session
//       starts a session in a child; prints "own_session=0|1 own_group=0|1"
//   preload_probe session-of-leader
//       the same in a child that leads a process group, which cannot: prints "refused=0|1"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <string_view>

// An MPI library has it: this program stands for one.
extern "C" __attribute__((visibility("default"), used)) void PMPI_Init() {}

namespace {

struct FakeWorker {
  unsigned events;
  int polls;
  int flushes;
  int destroyed;
};

constexpr useconds_t kWaitUs = 50'000;

template <typename Function>
Function first_definition(const char* name) {
  // As the dynamic linker binds a call: the preload's function, if there is one.
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) {
    std::cerr << "preload_probe: nobody defines " << name << "\n";
    std::exit(2);
  }
  return reinterpret_cast<Function>(found);
}

int poll(const char* library, std::string_view scope, int empty, int eventful, bool beside) {
  if (dlopen(library, RTLD_NOW | (scope == "global" ? RTLD_GLOBAL : RTLD_LOCAL)) == nullptr) {
    std::cerr << "preload_probe: " << dlerror() << "\n";
    return 2;
  }
  const auto progress = first_definition<unsigned (*)(void*)>("ucp_worker_progress");
  const auto disconnect = first_definition<void* (*)(void*)>("ucp_disconnect_nb");
  const auto destroy = first_definition<void (*)(void*)>("ucp_worker_destroy");
  FakeWorker worker{};
  for (int i = 0; i < empty; ++i) progress(&worker);
  for (int i = 0; i < eventful; ++i) {
    worker.events = 1;
    if (progress(&worker) != 1) return 3;
    worker.events = 0;
    if (progress(&worker) != 0) return 3;
  }
  if (beside) {
    FakeWorker own{};
    const auto close = first_definition<void (*)(void*)>("ucp_ep_destroy");
    progress(&own);
    close(&own);
    usleep(kWaitUs);
    destroy(&own);
    progress(&worker);
    std::cout << "own_flushes=" << own.flushes << " own_polls=" << own.polls << "\n";
  }
  const int polls = worker.polls;
  const bool request = disconnect(&worker) != nullptr;
  disconnect(&worker);
  // As a rank that waits in the process manager's barrier.
  usleep(kWaitUs);
  destroy(&worker);
  const int polls_at_end = worker.polls;
  usleep(kWaitUs);
  std::cout << "polls=" << polls << " flushes=" << worker.flushes << " request=" << request
            << " destroyed=" << worker.destroyed << " waiting=" << (polls_at_end > polls)
            << " after=" << worker.polls - polls_at_end << "\n";
  return 0;
}

int start_session(bool as_leader) {
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  if (as_leader) setpgid(0, 0);
  errno = 0;
  const pid_t answer = setsid();
  if (as_leader) {
    std::cout << "refused=" << (answer == -1 && errno == EPERM) << std::endl;
  } else {
    std::cout << "own_session=" << (getsid(0) == getpid())
              << " own_group=" << (getpgrp() == getpid()) << std::endl;
    if (answer != getpid()) return 3;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "polls" && argc >= 6) {
    return poll(argv[2], argv[3], std::atoi(argv[4]), std::atoi(argv[5]), argc > 6);
  }
  if (what == "session") return start_session(false);
  if (what == "session-of-leader") return start_session(true);
  std::cerr << "preload_probe: see the head of preload_probe.cc\n";
  return 2;
}
