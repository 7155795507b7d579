// A node's vector that is combined while members arrive: whoever comes combines its own vector with
// what is there, so that after the last arrival only the last contribution is to be combined. The
// order is that of arrival: for commutative operations, where MPIACTOR_REDUCE_ORDER allows it or
// the order changes nothing.
//
// The vector is cut into slices, each with a word of its own that says how many contributions it
// holds and whether somebody works on it. A member claims a slice by compare-and-swap, combines,
// and gives it back; meanwhile others work on other slices. Nobody sleeps on a claim, which is held
// for one slice's combining: a member that finds all its remaining slices claimed looks again, and
// gives way. A process that dies with a claim holds up the others until the launcher ends the job,
// as any member does that never arrives.
#ifndef MPIACTOR_ACTOR_NODE_RUNNING_RESULT_H_
#define MPIACTOR_ACTOR_NODE_RUNNING_RESULT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "actor/container/container.h"
#include "actor/container/progress.h"
#include "actor/node/meeting.h"
#include "actor/reduction/reduction.h"
#include "actor/shm/cache_line.h"

namespace mpiactor {

class RunningResult {
 public:
  // Memory beside the vector's own bytes, at most.
  static constexpr std::uint64_t kMostSlices = 16;
  static constexpr std::uint64_t kOverheadBytes = (kMostSlices + 1) * shm::kCacheLine;

  // Takes the communicator's next request. `contributors`: how many members of this node will
  // contribute.
  RunningResult(Container& container, const Reduction& reduction, std::uint64_t elements,
                int contributors);

  Meeting& meeting() { return meeting_; }
  std::byte* data() { return meeting_.memory() + slices_ * shm::kCacheLine; }
  std::uint64_t bytes() const { return elements_ * reduction_.element_bytes(); }

  // Combines this member's vector in; returns whether that completed the node's vector. While
  // others hold all slices that are left, meanwhile() does other work and says whether it did any.
  template <typename Work>
  bool contribute(const std::byte* own, Work meanwhile);

  bool is_complete() { return contributors_ == 0 || meeting_.has_arrived(slices_); }
  void wait_complete() {
    if (contributors_ != 0) meeting_.wait_arrived(slices_);
  }

 private:
  enum class Claim { kDone, kHeldByAnother, kCompletedAll };

  std::atomic<std::uint64_t>& word(std::uint64_t slice) {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(meeting_.memory() +
                                                          slice * shm::kCacheLine);
  }
  std::uint64_t slice_begin(std::uint64_t slice) const { return elements_ * slice / slices_; }
  Claim try_slice(std::uint64_t slice, const std::byte* own);

  const Reduction& reduction_;
  std::uint64_t elements_;
  std::uint64_t slices_;
  std::uint64_t contributors_;
  std::uint64_t first_slice_;  // this member's: neighbours begin elsewhere and follow each other
  Meeting meeting_;
};

template <typename Work>
bool RunningResult::contribute(const std::byte* own, Work meanwhile) {
  std::uint64_t left = (std::uint64_t{1} << slices_) - 1;  // a bit a slice
  bool completed = false;
  const auto take_slices = [&] {
    const std::uint64_t before = left;
    for (std::uint64_t i = 0; i < slices_; ++i) {
      const std::uint64_t slice = (first_slice_ + i) % slices_;
      if (!(left >> slice & 1)) continue;
      const Claim claim = try_slice(slice, own);
      if (claim != Claim::kHeldByAnother) left &= ~(std::uint64_t{1} << slice);
      completed |= claim == Claim::kCompletedAll;
    }
    return left != before || meanwhile();
  };
  work_until([&] { return left == 0; }, take_slices);
  return completed;
}

// How long vectors go through running results: blocks, of which a member may contribute to some
// before it has the result of the first.
struct BlocksAhead {
  static constexpr std::uint64_t kMostAhead = 3;

  std::uint64_t elements = 0;  // of a block
  std::uint64_t ahead = 0;     // blocks that a member may hold when it takes one more
};
// Collective like the call, equal on all ranks.
BlocksAhead running_blocks(Container& container, MPI_Comm comm, std::uint64_t bytes,
                           std::uint64_t element_bytes);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_NODE_RUNNING_RESULT_H_
