// The part between nodes of a collective in which every node has something for every other one and
// nothing is passed on. Homes receive, from the beginning: what other nodes have comes while
// members here are late. Where the home has waited for a while, the last member to arrive sends the
// node's data itself, so that nothing waits for a home that sleeps; where all come together, the
// home does.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_LAST_SENDS_H_
#define MPIACTOR_ACTOR_COLLECTIVES_LAST_SENDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/container/container.h"
#include "inter/registry.h"

namespace mpiactor {

class LastSends {
 public:
  // Equal on all ranks. `collective`: see goes_without_plan().
  static bool is_used(const Container& container, std::optional<inter::Collective> collective);

  // `memory`: `bytes` in common, of the request that `meeting` has taken and in which it counts
  // nothing else. A node sends from and receives to different places of it.
  LastSends(Container& container, Meeting& meeting, std::byte* memory, std::uint64_t bytes);

  // This member has laid down what it has. All members call it, with equal transfers; returns when
  // everything is there from all nodes.
  void run(std::span<const Transfer> sends, std::span<const Transfer> receives);

 private:
  NodeExchange::Setup setup(const inter::Plan& plan, const inter::PossibleLeaders& leaders);
  void send(std::span<const Transfer> sends);
  void receive(std::span<const Transfer> receives);
  // One more message of another node is there, or this node's own data are.
  void count_source();

  Container& container_;
  Meeting& meeting_;
  std::byte* memory_;
  std::uint64_t bytes_;
  std::uint64_t members_;
  std::uint64_t everything_ = 0;
  Homes homes_;
  AnyMember senders_;
  inter::Plan send_plan_;
  std::optional<NodeExchange> sends_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_LAST_SENDS_H_
