// Which peers this process takes in much from at a time: memory saving after [K-MPI], where peers
// start with small buffers and some get large ones, first come first served.
//
// A buffer here is what an engine takes in from a node before it is combined: a window of segments.
// With a small one a single segment of each of the peer's operations is under way at a time. That
// is this process's affair alone: segments and messages stay the same.
#ifndef MPIACTOR_INTER_PEER_BUFFERS_H_
#define MPIACTOR_INTER_PEER_BUFFERS_H_

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace mpiactor::inter {

struct PeerPolicy {
  static constexpr int kAllPeers = -1;
  int most_large = kAllPeers;  // peers of this process that may have large buffers
  int uses_before_large = 0;   // calls that take in from a peer before it may get them

  // Peers of a communicator whose calls are counted, the first that come.
  int most_known() const { return uses_before_large == 0 ? most_large : 4 * most_large; }
};

// Of one communicator, whose nodes are the peers. The number of large ones is limited for all
// communicators of the process together. One thread at a time.
class PeerBuffers {
 public:
  explicit PeerBuffers(const PeerPolicy& policy) : policy_(policy) {}
  // Its large buffers may go to other communicators' peers.
  ~PeerBuffers();
  PeerBuffers(const PeerBuffers&) = delete;
  PeerBuffers& operator=(const PeerBuffers&) = delete;

  // All have large ones, always: nobody is told apart.
  bool are_all_large() const { return policy_.most_large == PeerPolicy::kAllPeers; }
  // A call takes in from node `peer`: whether it has large buffers now.
  bool use(int peer);

  // Of this process.
  struct Statistics {
    std::atomic<int> large_peers{0};           // now
    std::atomic<int> most_large_peers{0};      // at a time
    std::atomic<std::uint64_t> large_uses{0};  // calls that took in from a peer with large buffers
    std::atomic<std::uint64_t> small_uses{0};  // with small ones
    std::atomic<std::uint64_t> intake_bytes{0};  // what engines take in before it is combined, now
    std::atomic<std::uint64_t> most_intake_bytes{0};
  };
  static Statistics& statistics();
  // Engines say what they have taken, and given back.
  static void take(std::uint64_t bytes);
  static void give_back(std::uint64_t bytes);

  // What knowing of `peers` of them takes: an entry each, and this C++ library's table of them.
  static constexpr std::uint64_t memory_for(int peers) {
    if (peers <= 0) return 0;
    const auto entries = static_cast<std::uint64_t>(peers);
    const std::uint64_t places = entries * 9 / 4 < 13 ? 13 : entries * 9 / 4;
    return entries * (sizeof(std::pair<const int, Peer>) + sizeof(void*)) + places * sizeof(void*);
  }

 private:
  struct Peer {
    int uses = 0;
    bool is_large = false;
  };
  bool become_large();

  PeerPolicy policy_;
  std::unordered_map<int, Peer> known_;  // at most policy_.most_known()
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_PEER_BUFFERS_H_
