// What one broadcast has to do with leaders that stay (container/leases.h): whether it is led by
// them, or finds them, and what is noted to decide whether any shall stay.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_STAYING_LEADERS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_STAYING_LEADERS_H_

#include <cstdint>

#include "actor/container/container.h"
#include "inter/messages.h"

namespace mpiactor {

class StayingLeaders {
 public:
  // A broadcast that has nothing to do with them.
  StayingLeaders(Container& container, std::uint64_t sequence, int root)
      : container_(container), sequence_(sequence), root_(root) {}

  // All members of all nodes, of a broadcast that they may lead.
  void look();

  // Members compete, and nodes say whether their leaders stay.
  bool are_sought() const { return are_sought_; }
  // This node is led by one; at the root: some node is.
  bool lead() const { return lead_; }

  // This member, on entering.
  void come();
  // The node's leader, where they are sought: for how many requests it stays.
  std::uint64_t decide();
  // The root, where they are sought: what a node has said.
  void hear(const inter::Announcement& leader) {
    container_.leases().add(leader.node, leader.rank, leader.stays);
  }
  // The leader of another node than the root's, before it tells others that the message is there.
  void note_message();
  // This member, before it leaves the request.
  void leave();

 private:
  bool is_on_roots_node() const { return container_.node() == container_.nodes().node_of(root_); }

  Container& container_;
  std::uint64_t sequence_;
  int root_;
  bool are_sought_ = false;
  bool lead_ = false;
  std::uint64_t came_ns_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_STAYING_LEADERS_H_
