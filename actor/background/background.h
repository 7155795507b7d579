// Collective calls that go on while their rank does other things (MPI_Ibcast and the like).
//
// A background call runs the code of the blocking one on a stack of its own. Where that code waits
// it gives the rank back, and progress() resumes it later: a state machine whose states nobody has
// to write down. Knows nothing of MPI.
//
// Calls of one order (a communicator's) run one after the other, as they were started: they share
// the communicator's count of requests. One thread at a time runs calls, not always the same one.
#ifndef MPIACTOR_ACTOR_BACKGROUND_BACKGROUND_H_
#define MPIACTOR_ACTOR_BACKGROUND_BACKGROUND_H_

#include <cstddef>
#include <functional>

namespace mpiactor::background {

using Order = const void*;

// Runs `body`, as far as it gets without waiting, if no call of this order is before it. `ended` is
// called once, on the caller's own stack, when body has returned; body must not throw. Throws
// std::bad_alloc where there is no memory for a stack; then nothing has begun.
void start(Order order, std::function<void()> body, std::function<void()> ended);

// Resumes the first call of each order once. True where one has ended. Does nothing inside a call,
// nor while another thread runs calls.
bool progress();

// Calls that have not ended: all of them, those of one order.
std::size_t unfinished();
std::size_t unfinished(Order order);

// While it lives no other thread runs calls, or ends them. Held where what a call leaves at its end
// is set up or looked at.
class HeldCalls {
 public:
  HeldCalls();
  ~HeldCalls();
  HeldCalls(const HeldCalls&) = delete;
  HeldCalls& operator=(const HeldCalls&) = delete;
};

// Whether the caller is a background call.
bool inside();
// Inside a call: returns true when it is resumed. Elsewhere: false at once.
bool give_back();

// Runs `errand(argument)` on the stack of whoever has resumed this call; only inside(). For what
// may call the program's functions: some languages' look at their stacks.
void on_callers_stack(void (*errand)(void* argument), void* argument);

// Where the program may have several threads, which stop each other by signals to look at their
// stacks (garbage collectors), signals wait while a call runs. From the next turn on.
void hold_signals(bool hold);

// Gives back the stacks that no call uses.
void release_idle_stacks();

}  // namespace mpiactor::background

#endif  // MPIACTOR_ACTOR_BACKGROUND_BACKGROUND_H_
