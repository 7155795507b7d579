// Signals while a background call runs.
#ifndef MPIACTOR_ACTOR_BACKGROUND_HELD_SIGNALS_H_
#define MPIACTOR_ACTOR_BACKGROUND_HELD_SIGNALS_H_

#include <pthread.h>

#include <csignal>

namespace mpiactor::background {

// While it exists the thread handles no signals but faults, and those of profilers. Handlers of
// garbage collectors, which stop threads to look at their stacks, know of no stack but the
// thread's own.
class HeldSignals {
 public:
  HeldSignals() { pthread_sigmask(SIG_BLOCK, &held(), &before_); }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  static const sigset_t& held() {
    static const sigset_t all = [] {
      sigset_t set;
      sigfillset(&set);
      for (const int kept :
           {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF, SIGVTALRM}) {
        sigdelset(&set, kept);
      }
      return set;
    }();
    return all;
  }

  sigset_t before_;
};

}  // namespace mpiactor::background

#endif  // MPIACTOR_ACTOR_BACKGROUND_HELD_SIGNALS_H_
