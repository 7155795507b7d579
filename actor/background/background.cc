#include "actor/background/background.h"

#include <atomic>
#include <boost/context/fiber.hpp>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "actor/background/fp_modes.h"
#include "actor/background/held_signals.h"
#include "actor/background/stack.h"
#include "actor/trace/span.h"
#include "inter/lasting.h"

namespace mpiactor::background {
namespace {

constinit bool holds_signals = false;

// Runs one call after the other on one stack.
class Worker {
 public:
  Worker()
      : worker_(std::allocator_arg, GuardedStack(),
                [this](boost::context::fiber&& caller) -> boost::context::fiber {
                  caller_ = std::move(caller);
                  modes_.set();
                  while (!ends_) {
                    (*body_)();
                    body_ = nullptr;
                    give_back();
                  }
                  return std::move(caller_);
                }) {}
  // Idle. A stack that is destroyed before its function ends is unwound by an exception.
  ~Worker() {
    ends_ = true;
    modes_ = FpModes::without_traps();  // flags of the program's may be up
    switch_to();
  }

  void take(std::function<void()>& body) { body_ = &body; }
  bool is_idle() const { return body_ == nullptr; }
  // Until the call ends, waits, or leaves an errand.
  void resume() {
    trace::Span* const outer = trace::exchange_current(span_);
    modes_ = FpModes::now();
    switch_to();
    modes_.add_flags();
    span_ = trace::exchange_current(outer);
  }
  // On the worker's stack.
  void give_back() {
    modes_ = FpModes::now();
    FpModes::without_traps().set();
    caller_ = std::move(caller_).resume();
    modes_.set();
  }
  // The same, and leaves an errand.
  void give_back(void (*errand)(void*), void* argument) {
    errand_ = errand;
    argument_ = argument;
    give_back();
  }
  // On the stack of who has resumed it. Returns whether there was one.
  bool run_errand() {
    auto* const errand = std::exchange(errand_, nullptr);
    if (errand) errand(argument_);
    return errand != nullptr;
  }

 private:
  void switch_to() {
    std::optional<HeldSignals> held;
    if (holds_signals) held.emplace();
    worker_ = std::move(worker_).resume();
  }

  boost::context::fiber worker_;
  boost::context::fiber caller_;
  FpModes modes_;  // of who resumes; then with the flags that its call has left
  std::function<void()>* body_ = nullptr;
  void (*errand_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool ends_ = false;
  trace::Span* span_ = nullptr;  // the call's own, while it waits
};

struct Call {
  std::function<void()> body;
  std::function<void()> ended;
};

struct Queue {
  Order order = nullptr;
  std::deque<Call> calls;
  Worker worker;  // works on the first call
};

// Never destroyed: a process may exit with calls unfinished.
struct State {
  // A session of MPI's may bring threads to a program that has one at a time: what these wait for
  // makes progress, too.
  std::recursive_mutex mutex;
  std::list<Queue> queues;  // not empty
  std::list<Queue> idle;    // empty, kept for their memory
  bool busy = false;        // in advance(), which is not to be called by what it calls
};
using Lock = std::unique_lock<std::recursive_mutex>;

State& state() {
  static inter::Lasting<State> all;
  return *all;
}

// Looked at in every turn of the MPI library's progress loop.
constinit std::atomic<std::size_t> unfinished_calls = 0;

// By this thread.
constinit thread_local Worker* running = nullptr;

// A new one among the others. Where there is no memory for it nothing has changed.
Queue& open_queue(Order order, Call call) {
  State& all = state();
  if (all.idle.empty()) all.idle.emplace_back();
  Queue& queue = all.idle.front();
  queue.calls.push_back(std::move(call));
  queue.order = order;
  queue.worker.take(queue.calls.front().body);
  all.queues.splice(all.queues.end(), all.idle, all.idle.begin());
  return queue;
}

void resume(Worker& worker) {
  do {
    running = &worker;
    worker.resume();
    running = nullptr;
  } while (worker.run_errand());
}

// Resumes the first call, and begins the next ones as long as calls end.
bool advance(Queue& queue) {
  state().busy = true;
  bool any_ended = false;
  for (;;) {
    resume(queue.worker);
    if (!queue.worker.is_idle()) break;
    const std::function<void()> ended = std::move(queue.calls.front().ended);
    queue.calls.pop_front();
    unfinished_calls.fetch_sub(1, std::memory_order_relaxed);
    ended();
    any_ended = true;
    if (queue.calls.empty()) break;
    queue.worker.take(queue.calls.front().body);
  }
  state().busy = false;
  return any_ended;
}

Queue* find_queue(Order order) {
  for (Queue& queue : state().queues) {
    if (queue.order == order) return &queue;
  }
  return nullptr;
}

void put_empty_queues_aside() {
  State& all = state();
  for (auto queue = all.queues.begin(); queue != all.queues.end();) {
    const auto next = std::next(queue);
    if (queue->calls.empty()) all.idle.splice(all.idle.begin(), all.queues, queue);
    queue = next;
  }
}

}  // namespace

void start(Order order, std::function<void()> body, std::function<void()> ended) {
  const Lock lock(state().mutex);
  if (Queue* const queue = find_queue(order)) {
    queue->calls.push_back({std::move(body), std::move(ended)});
    unfinished_calls.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Queue& queue = open_queue(order, {std::move(body), std::move(ended)});
  unfinished_calls.fetch_add(1, std::memory_order_relaxed);
  if (state().busy) return;
  advance(queue);
  put_empty_queues_aside();
}

bool progress() {
  if (unfinished() == 0) return false;
  const Lock lock(state().mutex, std::try_to_lock);
  if (!lock || state().busy) return false;
  bool any_ended = false;
  for (Queue& queue : state().queues) any_ended |= advance(queue);
  put_empty_queues_aside();
  return any_ended;
}

std::size_t unfinished() { return unfinished_calls.load(std::memory_order_relaxed); }

std::size_t unfinished(Order order) {
  if (unfinished() == 0) return 0;
  const Lock lock(state().mutex);
  const Queue* const queue = find_queue(order);
  return queue ? queue->calls.size() : 0;
}

HeldCalls::HeldCalls() { state().mutex.lock(); }
HeldCalls::~HeldCalls() { state().mutex.unlock(); }

bool inside() { return unfinished() != 0 && running != nullptr; }

bool give_back() {
  if (!inside()) return false;
  running->give_back();
  return true;
}

void on_callers_stack(void (*errand)(void*), void* argument) {
  running->give_back(errand, argument);
}

void hold_signals(bool hold) {
  const Lock lock(state().mutex);
  holds_signals = hold;
}

void release_idle_stacks() {
  const Lock lock(state().mutex);
  state().idle.clear();
}

}  // namespace mpiactor::background
