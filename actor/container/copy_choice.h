#ifndef MPIACTOR_ACTOR_CONTAINER_COPY_CHOICE_H_
#define MPIACTOR_ACTOR_CONTAINER_COPY_CHOICE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mpiactor {

// Whether the root of a short broadcast sends it to all possible leaders of a node or to the first
// alone, which others of its node then wait for. It goes by what the members of the root's node have
// seen, how long a copy takes to send and how unevenly members come, and by what other nodes say now
// and then. Lies in memory that a node's members share, starts as zeros. Of two that write at a time
// one may go unheard.
class CopyChoice {
 public:
  using Time = std::chrono::nanoseconds;

  // A member has sent copies, which took it so long each.
  void sent(Time each);
  // A member that does not lead came so long after the message, or waited so long for a leader when
  // the message was there; 0: neither.
  void beside_leader(Time late);
  // The same beside a root: if all come as late after it each time, they are even.
  void beside_root(Time late);
  // Another one of so many nodes says how uneven it is.
  void other_node(Time uneven, int nodes);
  // In the mean.
  Time uneven() const { return Time(uneven_ns_.load(std::memory_order_relaxed)); }
  // Whether it costs less to wait for first leaders than to send so many copies more.
  bool one_will_do(std::size_t copies) const;

 private:
  void came(Time uneven, std::int64_t weight);
  std::int64_t weight() const;

  std::atomic<std::uint32_t> copy_ns_{0};        // mean
  std::atomic<std::uint32_t> comers_{0};         // up to kMemory
  std::atomic<std::uint32_t> after_root_ns_{0};  // mean
  std::atomic<std::uint32_t> uneven_ns_{0};      // mean
  std::atomic<std::uint32_t> others_ns_{0};      // mean of the other nodes'
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_COPY_CHOICE_H_
