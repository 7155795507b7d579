// A call of which its root chooses the way, staging or single copy, by what earlier ones have cost:
// times it, and hears from the other members how long they took.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_TIMED_CALL_H_
#define MPIACTOR_ACTOR_COLLECTIVES_TIMED_CALL_H_

#include <cstdint>

#include "actor/container/container.h"
#include "actor/container/way_choice.h"

namespace mpiactor {

// Whether a root that gives `bytes` to the others on its node may choose at all. Only roots ask:
// what they choose is written in the request. `background`: the root may be busy with other things,
// while more than one other member must hear from it how the call has ended.
bool may_go_either_way(const Container& container, std::uint64_t bytes, bool background);

class TimedCall {
 public:
  // Root, on entry. `background`: its own time in the call says nothing then.
  TimedCall(Container& container, WayChoice& choice, std::uint64_t bytes, bool background);

  Way way() const { return way_; }
  // For the request's description; 0: nobody is to say how long it takes.
  std::uint64_t begun_ns() const { return begun_ns_; }

  // The root returns. The members say what request `sequence` takes them.
  void end(std::uint64_t sequence);
  // The same where some members did not get their bytes directly.
  void end_in_vain();

 private:
  void hear_of_earlier_calls();
  std::uint64_t own_ns() const;

  Container& container_;
  WayChoice& choice_;
  std::uint64_t bytes_;
  bool background_;
  Way way_;
  std::uint64_t begun_ns_ = 0;
};

// Another member, before it leaves a timed request: it has entered the call at `entered_ns`.
void say_time(Container& container, std::uint64_t sequence, std::uint64_t entered_ns);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_TIMED_CALL_H_
