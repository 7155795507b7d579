#ifndef MPIACTOR_ACTOR_CONTAINER_COPY_CHOICE_H_
#define MPIACTOR_ACTOR_CONTAINER_COPY_CHOICE_H_

#include <atomic>
#include <chrono>
#include <cstddef>

namespace mpiactor {

// Whether the root of a short broadcast sends few copies, so that ranks wait for others that are to
// pass the message on, or sends more itself. It goes by what the members of the root's node have
// seen, how long a copy takes to send and how unevenly members come, and by what other nodes say in
// their messages. Lies in memory that a node's members share, starts as zeros. Of two that write at
// a time one may go unheard.
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
  // The root mean square. Who comes 100 ms late once in a hundred calls holds back others more than
  // who comes 1 ms late each time.
  Time uneven() const;
  // What another one of so many nodes says.
  void other_node(Time uneven, int nodes);
  // Whether it costs less to wait for others than to send so many copies more.
  // `comers_a_call`: how many members say each time how they came.
  bool few_will_do(std::size_t more, std::size_t comers_a_call) const;

 private:
  void came(double uneven_ns, double weight);
  double weight() const;

  std::atomic<double> copy_ns_{0};  // mean
  std::atomic<double> comers_{0};
  std::atomic<double> after_root_ns_{0};  // mean
  std::atomic<double> uneven_ns2_{0};     // mean of squares
  std::atomic<double> others_ns_{0};      // mean of what they say
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_COPY_CHOICE_H_
