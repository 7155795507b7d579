#ifndef MPIACTOR_ACTOR_COLLECTIVES_BCAST_WAY_H_
#define MPIACTOR_ACTOR_COLLECTIVES_BCAST_WAY_H_

#include <cstdint>
#include <memory>

#include "actor/between/request_leaders.h"
#include "actor/container/container.h"
#include "inter/push.h"

namespace mpiactor {

// Which way a broadcast goes between nodes, of the size that is believed in.
class BcastWay {
 public:
  BcastWay(Container& container, int root_node, std::uint64_t sequence)
      : container_(container),
        root_node_(root_node),
        sequence_(sequence),
        push_limit_(container.push_limit()) {}

  // From now on the message has so many bytes.
  void believe(std::uint64_t bytes) {
    bytes_ = bytes;
    choice_.reset();
  }
  std::uint64_t bytes() const { return bytes_; }

  std::uint64_t push_limit() const { return push_limit_; }
  // Copies go to those who might lead, and nobody waits for anybody.
  bool is_pushed() const { return bytes_ <= push_limit_ && !is_announced_anyway(sequence_); }
  inter::Push push() const { return push_; }

  // A short message that is announced comes from the root, which then hears from all nodes.
  const Choice& choice() const;
  // The plan of another node.
  inter::Plan plan_of(int node) const {
    return container_.plan_of(node, choice().selection, root_node_, bytes_);
  }

  // The root: how a pushed message goes that trees send as a whole, so that a node gets one
  // message. Where ranks come together one copy goes to each node, for its first candidate, down
  // the tree. Else nobody shall wait for a candidate that is late, nor for a late node in between.
  void choose_push(const RequestLeaders& leaders);
  // One that sends for the root: as that has chosen.
  void take_push(inter::Push push);

 private:
  bool root_may_serve_all() const;
  void serve_all() const;

  Container& container_;
  int root_node_;
  std::uint64_t sequence_;
  std::uint64_t push_limit_;
  std::uint64_t bytes_ = 0;
  mutable std::shared_ptr<const Choice> choice_;
  inter::Push push_ = inter::Push::kToAll;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_BCAST_WAY_H_
