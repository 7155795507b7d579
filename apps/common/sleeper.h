// Sleeping a rank's steps, to the microsecond where the machine is not too busy.
#ifndef MPIACTOR_APPS_COMMON_SLEEPER_H_
#define MPIACTOR_APPS_COMMON_SLEEPER_H_

#include <cstdint>

namespace mpiactor::apps {

// Sleeps until that time of CLOCK_MONOTONIC, with the least timer slack; not at all where it has
// passed.
void sleep_until(std::int64_t moment_ns);

// Sleeps steps, and keeps account of them.
class Sleeper {
 public:
  // Measures how late a sleeper gets a core back when its time has come: steps allow for that.
  Sleeper();

  // Until `length_ns` after `begin_ns`, a time of CLOCK_MONOTONIC; not at all where that has
  // passed. A step that is shorter than waking up takes is spent awake, giving way to others.
  void step(std::int64_t begin_ns, double length_ns);

  double asked_s() const { return asked_s_; }  // all steps' lengths
  double spent_s() const { return spent_s_; }  // from their begins to their ends

 private:
  std::int64_t wake_ns_ = 0;
  double asked_s_ = 0.0;
  double spent_s_ = 0.0;
};

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_SLEEPER_H_
