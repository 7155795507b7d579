// The part between nodes of a reduction on few nodes: each node combines a share of the vector for
// all. Nothing is passed on, so homes receive from whoever sends, from the beginning, and whoever
// completes its node's vector sends the shares itself: nothing waits for a home that sleeps.
//
//   1. whoever completes its node's vector sends each other node that node's share of it
//   2. whoever brings the last contribution to this node's share, the node's own or another's,
//      combines them, and sends the combined share to all others
//   3. whoever brings the last combined share says that the result is there
//
// A reduce-scatter ends with the contributions, which its members combine themselves. Two nodes
// rather swap their vectors and combine them both, in one round. Contributions are combined in the
// order of the nodes: the same bits on all ranks, whoever came first.
//
// On more than 4 nodes the home first waits a while for its members: where all come together, it
// sends, too, since there one process is quicker than two.
//
// Each node sends and receives a vector's length less a share, twice in an allreduce: as many bytes
// as with Rabenseifner's algorithm, in two rounds.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_NODE_SHARES_H_
#define MPIACTOR_ACTOR_COLLECTIVES_NODE_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "actor/collectives/contributions.h"
#include "actor/collectives/meeting.h"
#include "actor/collectives/node_exchange.h"
#include "actor/container/container.h"
#include "actor/container/progress.h"
#include "actor/reduction/reduction.h"
#include "inter/registry.h"

namespace mpiactor {

class NodeShares {
 public:
  // Equal on all ranks. `collective`: see goes_without_plan().
  static bool is_used(const Container& container, std::optional<inter::Collective> collective);

  enum class Result { kShare, kVector };

  // `first[n]`: element at which node n's share begins, nodes + 1 of them. `vectors`:
  // least_vectors() that lie part_stride() apart, where members' vectors may be till the node's one
  // is complete; `contributed`, behind them: contributed_bytes(). All must outlive it.
  NodeShares(Container& container, Meeting& meeting, const Reduction& reduction,
             std::vector<std::uint64_t> first, Result wanted, std::byte* vectors,
             std::byte* contributed);

  static std::uint64_t least_vectors(const NodeMap& nodes, Result wanted) {
    return wanted == Result::kVector && !swaps(nodes, wanted) ? 2 : 1;
  }
  // `bytes`: of the vector; `largest`: of the largest share.
  static std::uint64_t contributed_bytes(const NodeMap& nodes, std::uint64_t bytes,
                                         std::uint64_t largest, Result wanted);

  // The home, before it waits for anybody.
  void receive();
  // The first of `vectors` is the node's complete one. One member calls it.
  void complete();
  // True where anything came forward.
  bool progress();
  // Nothing is under way that needs this member's progress.
  bool is_idle() const;
  // Waits for the result.
  void finish_for_all() {
    finish_for_all([] { return false; });
  }
  // work() does other things meanwhile, and says whether anything came forward.
  template <typename Work>
  void finish_for_all(Work work);

  // kVector, when finished.
  const std::byte* result() const { return result_; }
  // kShare, when finished: all nodes' contributions to this node's share.
  Contributions contributions() const;

 private:
  int me() const { return container_.node(); }
  static bool swaps(const NodeMap& nodes, Result wanted) {
    return wanted == Result::kVector && nodes.nodes() == 2;
  }
  std::uint64_t cut(int node) const {
    return first_[static_cast<std::size_t>(node)] * reduction_.element_bytes();
  }
  std::uint64_t vector_bytes() const { return cut(container_.nodes().nodes()); }
  std::uint64_t begin(int node) const { return swaps_ ? 0 : cut(node); }
  std::uint64_t share_bytes(int node) const {
    return swaps_ ? vector_bytes() : cut(node + 1) - cut(node);
  }
  std::uint64_t vector_stride() const { return part_stride(vector_bytes()); }
  // Calls visit(node) for all nodes but this one.
  template <typename Visit>
  void for_each_other(Visit visit) const;
  NodeExchange::Setup setup(const inter::Plan& plan, const inter::PossibleLeaders& leaders);
  void start(std::span<const Transfer> transfers, inter::Plan& plan,
             std::optional<NodeExchange>& exchange);
  bool decide();
  void send();

  void count_contribution();
  void give_share();
  void count_share();

  Container& container_;
  Meeting& meeting_;
  const Reduction& reduction_;
  std::vector<std::uint64_t> first_;
  bool is_patient_;  // who sends depends on whether members come together
  Result wanted_;
  bool swaps_;            // two nodes whose share is the whole vector
  std::uint64_t stride_;  // of contributions to this node's share
  std::byte* node_vector_;
  std::byte* result_;
  std::byte* contributed_;                   // a slot for each node; the own one is not used
  std::uint64_t bytes_;                      // of everything from node_vector_ on
  std::uint64_t awaited_contributions_ = 1;  // the node's own and the others'
  std::uint64_t awaited_shares_ = 1;
  // Home: not yet known who sends; when it will not wait any more (0: it has not begun to).
  bool is_undecided_ = false;
  std::uint64_t deadline_ns_ = 0;
  Homes homes_;
  AnyMember senders_;
  std::optional<WholeReceives> whole_receives_;
  inter::Plan receive_plan_, contribution_plan_, share_plan_;
  std::optional<NodeExchange> receives_, contribution_sends_, share_sends_;
};

template <typename Work>
void NodeShares::finish_for_all(Work work) {
  work_until([this] { return is_idle(); },
             [&] {
               const bool any = work();
               return progress() || any;
             });
  meeting_.wait_result();
}

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_NODE_SHARES_H_
