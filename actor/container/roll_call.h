// What ends a job of which some ranks run without the runtime.
//
// The runtime's first communication is one that a rank without it never takes part in, and that
// nothing such a rank does can be taken for. So the others would wait for ever. While they wait, a
// thread looks whether a process of the job on this machine has not loaded the runtime. Where that
// is so, or may be so on another machine, it ends the job, with one sentence: nothing can be
// handled and nothing be passed on where ranks cannot tell each other.
#ifndef MPIACTOR_ACTOR_CONTAINER_ROLL_CALL_H_
#define MPIACTOR_ACTOR_CONTAINER_ROLL_CALL_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace mpiactor {

class RollCall {
 public:
  // Of rank `rank` of `ranks`.
  RollCall(int rank, int ranks);
  // All ranks have the runtime.
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

 private:
  void watch(int rank, int ranks);
  bool is_over_within(std::chrono::milliseconds time);

  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_ROLL_CALL_H_
