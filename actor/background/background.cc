#include "actor/background/background.h"

#include <boost/context/fiber.hpp>
#include <deque>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "actor/background/stack.h"
#include "actor/trace/span.h"

namespace mpiactor::background {
namespace {

// Runs one call after the other on one stack.
class Worker {
 public:
  Worker()
      : worker_(std::allocator_arg, GuardedStack(),
                [this](boost::context::fiber&& caller) -> boost::context::fiber {
                  caller_ = std::move(caller);
                  for (;;) {
                    (*body_)();
                    body_ = nullptr;
                    give_back();
                  }
                }) {}

  void take(std::function<void()>& body) { body_ = &body; }
  bool is_idle() const { return body_ == nullptr; }
  // Until the call ends or waits.
  void resume() {
    trace::Span* const outer = trace::exchange_current(span_);
    worker_ = std::move(worker_).resume();
    span_ = trace::exchange_current(outer);
  }
  // On the worker's stack.
  void give_back() { caller_ = std::move(caller_).resume(); }

 private:
  boost::context::fiber worker_;
  boost::context::fiber caller_;
  std::function<void()>* body_ = nullptr;
  trace::Span* span_ = nullptr;  // the call's own, while it waits
};

struct Call {
  std::function<void()> body;
  std::function<void()> ended;
};

// Not empty.
struct Queue {
  Order order = nullptr;
  std::unique_ptr<Worker> worker;  // works on the first call
  std::deque<Call> calls;
};

// Never destroyed: a process may exit with calls unfinished.
struct State {
  std::list<Queue> queues;
  std::vector<std::unique_ptr<Worker>> idle;
  Worker* running = nullptr;
  bool busy = false;  // in advance(), which is not to be called by what it calls
};

State& state() {
  static State* const the_state = new State;
  return *the_state;
}

// Looked at in every turn of the MPI library's progress loop.
constinit std::size_t unfinished_calls = 0;

std::unique_ptr<Worker> find_worker() {
  std::vector<std::unique_ptr<Worker>>& idle = state().idle;
  if (idle.empty()) return std::make_unique<Worker>();
  std::unique_ptr<Worker> worker = std::move(idle.back());
  idle.pop_back();
  return worker;
}

void resume(Worker& worker) {
  state().running = &worker;
  worker.resume();
  state().running = nullptr;
}

// Resumes the first call, and begins the next ones as long as calls end.
bool advance(Queue& queue) {
  state().busy = true;
  bool any_ended = false;
  for (;;) {
    resume(*queue.worker);
    if (!queue.worker->is_idle()) break;
    const std::function<void()> ended = std::move(queue.calls.front().ended);
    queue.calls.pop_front();
    --unfinished_calls;
    ended();
    any_ended = true;
    if (queue.calls.empty()) break;
    queue.worker->take(queue.calls.front().body);
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

void remove_empty_queues() {
  state().queues.remove_if([](Queue& queue) {
    if (!queue.calls.empty()) return false;
    state().idle.push_back(std::move(queue.worker));
    return true;
  });
}

}  // namespace

void start(Order order, std::function<void()> body, std::function<void()> ended) {
  if (Queue* const queue = find_queue(order)) {
    queue->calls.push_back({std::move(body), std::move(ended)});
    ++unfinished_calls;
    return;
  }
  std::unique_ptr<Worker> worker = find_worker();
  Queue& queue = state().queues.emplace_back(Queue{order, std::move(worker), {}});
  queue.calls.push_back({std::move(body), std::move(ended)});
  ++unfinished_calls;
  queue.worker->take(queue.calls.front().body);
  if (state().busy) return;
  advance(queue);
  remove_empty_queues();
}

bool progress() {
  if (unfinished_calls == 0 || state().busy) return false;
  bool any_ended = false;
  for (Queue& queue : state().queues) any_ended |= advance(queue);
  remove_empty_queues();
  return any_ended;
}

std::size_t unfinished() { return unfinished_calls; }

std::size_t unfinished(Order order) {
  if (unfinished_calls == 0) return 0;
  const Queue* const queue = find_queue(order);
  return queue ? queue->calls.size() : 0;
}

bool inside() { return unfinished_calls != 0 && state().running != nullptr; }

bool give_back() {
  if (!inside()) return false;
  state().running->give_back();
  return true;
}

void release_idle_stacks() { state().idle.clear(); }

}  // namespace mpiactor::background
