// Stacks for background calls.
#ifndef MPIACTOR_ACTOR_BACKGROUND_STACK_H_
#define MPIACTOR_ACTOR_BACKGROUND_STACK_H_

#include <boost/context/stack_context.hpp>

namespace mpiactor::background {

// A stack allocator as Boost.Context wants it. Address space, as much as the process's own stack
// may take, of which the kernel gives what is touched; below it lies a page that nobody may touch,
// so that an overflow ends the process at once. Throws std::bad_alloc.
class GuardedStack {
 public:
  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;
};

}  // namespace mpiactor::background

#endif  // MPIACTOR_ACTOR_BACKGROUND_STACK_H_
