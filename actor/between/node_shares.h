// The part between nodes of a reduction on few nodes: each node combines a share of the vector for
// all, and nothing is passed on.
//
//   1. each node sends each other one that node's share of its vector
//   2. of all nodes' contributions to its share a node makes the combined share, for all others
//
// A reduce-scatter ends with the contributions, which its members combine themselves. On two nodes,
// and where vectors are short, each node's share is rather the whole vector: one round.
// Contributions are combined in the order of the nodes: the same bits on all ranks, whoever came
// first.
//
// Each node sends and receives a vector's length less a share, twice in an allreduce: as many bytes
// as with Rabenseifner's algorithm, in two rounds.
#ifndef MPIACTOR_ACTOR_BETWEEN_NODE_SHARES_H_
#define MPIACTOR_ACTOR_BETWEEN_NODE_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "actor/between/between.h"
#include "actor/between/node_exchange.h"
#include "actor/container/container.h"
#include "actor/node/contributions.h"
#include "actor/node/meeting.h"
#include "actor/reduction/reduction.h"

namespace mpiactor {

class NodeShares {
 public:
  enum class Kind {
    kScatter,  // each node gets the contributions to its share
    kShares,   // all get the vector, of which each node combines its share
    kWhole,    // all get the vector, which each node combines for itself
  };

  // `first[n]`: element at which node n's share begins, nodes + 1 of them. `vectors`:
  // least_vectors() that lie shm::round_to_lines() apart, where members' vectors may be till the
  // node's one is complete, the first of them; `contributed`, behind them: contributed_bytes(). All
  // must outlive it.
  NodeShares(Container& container, Meeting& meeting, const Reduction& reduction,
             std::vector<std::uint64_t> first, Kind kind, bool is_patient, std::byte* vectors,
             std::byte* contributed);

  static std::uint64_t least_vectors(Kind kind) { return kind == Kind::kShares ? 2 : 1; }
  // `bytes`: of the vector; `largest`: of the largest share.
  static std::uint64_t contributed_bytes(const NodeMap& nodes, std::uint64_t bytes,
                                         std::uint64_t largest, Kind kind);

  Between& between() { return between_; }

  // The vector, when finished.
  const std::byte* result() const { return result_; }
  // All nodes' contributions to this node's share, when finished.
  Contributions contributions() const;

 private:
  int me() const { return container_.node(); }
  int nodes() const { return container_.nodes().nodes(); }
  std::uint64_t cut(int node) const {
    return first_[static_cast<std::size_t>(node)] * reduction_.element_bytes();
  }
  std::uint64_t begin(int node) const { return kind_ == Kind::kWhole ? 0 : cut(node); }
  std::uint64_t share_bytes(int node) const {
    return kind_ == Kind::kWhole ? cut(nodes()) : cut(node + 1) - cut(node);
  }
  // The node's own slot is not used; on two nodes there is but one.
  std::uint64_t slot(int node) const {
    return static_cast<std::uint64_t>(nodes() == 2 ? 0 : node) * stride_;
  }
  inter::Plan make_plan() const;
  NodeExchange::Setup describe();
  void combine();

  Container& container_;
  const Reduction& reduction_;
  std::vector<std::uint64_t> first_;
  Kind kind_;
  std::uint64_t stride_;  // of contributions to this node's share
  std::byte* node_vector_;
  std::byte* result_;
  std::byte* contributed_;
  std::uint64_t bytes_;  // of everything from node_vector_ on
  inter::Plan plan_;
  Between between_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BETWEEN_NODE_SHARES_H_
