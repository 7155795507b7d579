#include "inter/peer_buffers.h"

#include <cstddef>

namespace mpiactor::inter {
namespace {

template <typename Number>
void raise(std::atomic<Number>& most, Number now) {
  Number before = most.load(std::memory_order_relaxed);
  while (before < now && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

}  // namespace

PeerBuffers::Statistics& PeerBuffers::statistics() {
  static Statistics of_process;
  return of_process;
}

void PeerBuffers::take(std::uint64_t bytes) {
  if (bytes == 0) return;
  Statistics& all = statistics();
  raise(all.most_intake_bytes, all.intake_bytes.fetch_add(bytes) + bytes);
}

void PeerBuffers::give_back(std::uint64_t bytes) {
  if (bytes != 0) statistics().intake_bytes.fetch_sub(bytes);
}

PeerBuffers::~PeerBuffers() {
  for (const auto& [node, peer] : known_) {
    if (peer.is_large) statistics().large_peers.fetch_sub(1);
  }
}

bool PeerBuffers::become_large() {
  Statistics& all = statistics();
  int now = all.large_peers.load();
  while (now < policy_.most_large) {
    if (all.large_peers.compare_exchange_weak(now, now + 1)) {
      raise(all.most_large_peers, now + 1);
      return true;
    }
  }
  return false;
}

bool PeerBuffers::use(int peer) {
  if (are_all_large()) return true;
  auto found = known_.find(peer);
  if (found == known_.end() && known_.size() < static_cast<std::size_t>(policy_.most_known())) {
    found = known_.emplace(peer, Peer{}).first;
  }
  const bool is_known = found != known_.end();
  if (is_known && !found->second.is_large) {
    Peer& known = found->second;
    if (known.uses < policy_.uses_before_large) {
      ++known.uses;
    } else {
      known.is_large = become_large();
    }
  }
  const bool is_large = is_known && found->second.is_large;
  ++(is_large ? statistics().large_uses : statistics().small_uses);
  return is_large;
}

}  // namespace mpiactor::inter
