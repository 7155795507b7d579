// Leaders that stay: who leads each node in the broadcasts after one for which all have competed.
//
// The root sends a short message once to each node where it knows who leads there; else it waits
// for the node's first member to say so, or sends a copy to everyone who might lead. Where the root
// is ahead of the others, both cost more than the competition gains. So now and then a broadcast
// *opens* leases: members compete and announce themselves, and a node may add that its leader stays
// for some requests (competition/stay_policy.h). To that member the root then sends unasked, as
// long as it stays the root. While a node's leader stays it leads every broadcast of that root there,
// since members may believe in different sizes, and who leads must not depend on that. For the same
// reason leases are noted when a broadcast is over and its size is known.
#ifndef MPIACTOR_ACTOR_CONTAINER_LEASES_H_
#define MPIACTOR_ACTOR_CONTAINER_LEASES_H_

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace mpiactor {

// What one member knows: of its own node, and of all nodes where it is the root.
class Leases {
  struct Holder {
    int rank;
    std::uint64_t last;
  };

 public:
  static constexpr std::uint64_t kEvery = 64;
  static constexpr std::uint64_t kSoonest = 16;  // for another root
  static constexpr int kEager = 4;               // openings as soon as that, to learn
  static constexpr std::uint64_t kMostBytes = 16 << 10;

  // Whether request `sequence` of `root` opens new leases, where its message is short enough. Roots
  // that take turns at every call get none. Equal on all ranks, whatever size they believe in.
  bool opens(std::uint64_t sequence, int root) const {
    const std::uint64_t age = sequence - opened_;
    return root == last_root_ &&
           age >= (root == root_ && openings_ >= kEager ? kEvery : kSoonest);
  }
  // After each broadcast that was short enough.
  void note(int root) { last_root_ = root; }

  // Request `sequence` of `root` opens new leases; those before it end.
  void open(std::uint64_t sequence, int root) {
    opened_ = sequence;
    openings_ += openings_ < kEager;
    root_ = root;
    holders_.clear();
  }
  // The request that opened them.
  std::uint64_t opened() const { return opened_; }
  // `rank` leads `node` in the `requests` after the open one.
  void add(int node, int rank, std::uint64_t requests) {
    if (requests != 0) holders_[node] = {rank, opened_ + requests};
  }
  // Who leads `node` in request `sequence` of `root`; -1 where nobody stays.
  int holder(int node, std::uint64_t sequence, int root) const {
    if (root != root_) return -1;
    const auto found = holders_.find(node);
    return found == holders_.end() || sequence > found->second.last ? -1 : found->second.rank;
  }
  // Whether anybody does.
  bool any(std::uint64_t sequence, int root) const {
    return root == root_ && std::any_of(holders_.begin(), holders_.end(), [&](const auto& holder) {
             return sequence <= holder.second.last;
           });
  }

  // What knowing of up to `nodes` nodes takes: an entry each, and this C++ library's table of them.
  static constexpr std::uint64_t memory_for(int nodes) {
    constexpr std::uint64_t kFewestPlaces = 13;
    const auto entries = static_cast<std::uint64_t>(nodes);
    if (entries == 0) return 0;
    return entries * (sizeof(std::pair<const int, Holder>) + sizeof(void*)) +
           std::max(kFewestPlaces, entries * 9 / 4) * sizeof(void*);
  }

 private:
  std::uint64_t opened_ = 0;
  int openings_ = 0;
  int root_ = -1;
  int last_root_ = -1;
  std::unordered_map<int, Holder> holders_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_LEASES_H_
