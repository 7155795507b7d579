// What one broadcast has to do with leaders that stay (container/leases.h): whether it is led by
// them, or finds them, and what is noted to decide whether any shall stay.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_STAYING_LEADERS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_STAYING_LEADERS_H_

#include <cstdint>
#include <optional>

#include "actor/collectives/request_leaders.h"
#include "actor/container/container.h"
#include "inter/messages.h"

namespace mpiactor {

class StayingLeaders {
 public:
  // A broadcast in which members compete, or one stays: the same for all members of a node.
  // `policy`: with static ones it has nothing to do with them.
  StayingLeaders(Container& container, std::uint64_t sequence, int root, LeaderPolicy policy);

  // The rank that leads this node; -1: members compete.
  int holder() const { return holder_; }

  // All members of all nodes: the message's size, as they believe or know it. `is_short`: whether
  // those who stay may be sent it unasked.
  void believe(bool is_short) { is_short_ = is_short; }
  // Members compete, and nodes say whether their leaders stay.
  bool are_sought() const { return is_short_ && opens_; }
  // This node's leader stays and is sent the message unasked; on the root's node: some node's.
  bool lead() const { return is_short_ && stay_; }

  // This member, on entering.
  void come();
  // A member of the root's node, that has heard all of earlier requests: looks who stays.
  void look();
  // The node's leader, where they are sought: for how many requests it stays.
  std::uint64_t decide();
  // Who sends for the root's node, where they are sought: before it hears from any node.
  void open();
  // A member of the root's node: what a node has said, now or in the last request in which they
  // were sought.
  void hear(const inter::Announcement& leader);
  // The leader of another node than the root's, before it tells others that the message is there.
  void note_message();
  // This member, before it leaves the request, when it knows the size.
  void leave();

 private:
  bool is_on_roots_node() const { return container_.node() == container_.nodes().node_of(root_); }

  Container& container_;
  std::uint64_t sequence_;
  int root_;
  bool opens_ = false;
  bool has_opened_ = false;
  bool stay_ = false;
  int holder_ = -1;
  bool is_short_ = false;
  std::uint64_t came_ns_ = 0;
  std::optional<std::uint64_t> decided_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_STAYING_LEADERS_H_
