// What the ranks of a communicator tell each other before its container is made: words that are
// combined bit by bit, each rank's own beside those that it leaves open.
#ifndef MPIACTOR_ACTOR_CONTAINER_JOINT_WORDS_H_
#define MPIACTOR_ACTOR_CONTAINER_JOINT_WORDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "actor/container/idle_containers.h"
#include "actor/container/private_comms.h"
#include "actor/container/single_copy_probe.h"
#include "actor/shm/segment.h"

namespace mpiactor {

class JointWords {
 public:
  // Of one node, whose members probe each other or not, or of several.
  JointWords(int nodes, int ranks, bool probes)
      : addresses_(kPlaces + (nodes > 1 ? PrivateComms::kWords : 0)),
        probes_(addresses_ + kOfAddress * static_cast<std::size_t>(nodes)),
        words_(probes_ + (probes ? SingleCopyProbe::kWords * static_cast<std::size_t>(ranks) : 0),
               kOpen) {}

  std::span<std::uint64_t> all() { return words_; }
  // Where each node's memory is.
  std::span<std::uint64_t> addresses() {
    return std::span(words_).subspan(addresses_, probes_ - addresses_);
  }
  // Whether some node's lowest member has not said.
  bool lacks_addresses() {
    const std::span<const std::uint64_t> words = addresses();
    for (std::size_t i = 0; i < words.size(); i += kOfAddress) {
      if (words[i] == kOpen && words[i + 1] == kOpen && words[i + 2] == kOpen) return true;
    }
    return false;
  }

  // Which kept container it may be.
  std::span<std::uint64_t, IdleContainers::kWords> kept() {
    return std::span(words_).first<IdleContainers::kWords>();
  }
  // Free places in private communicators; of several nodes.
  std::span<std::uint64_t, PrivateComms::kWords> places() {
    return std::span(words_).subspan<kPlaces, PrivateComms::kWords>();
  }
  void set_address(int node, const shm::Segment::Address& address) {
    const std::span<std::uint64_t> words = address_words(node);
    words[0] = std::uint64_t(static_cast<std::uint32_t>(address.pid)) << 32 |
               static_cast<std::uint32_t>(address.descriptor);
    words[1] = address.device;
    words[2] = address.inode;
  }
  shm::Segment::Address address(int node) {
    const std::span<const std::uint64_t> words = address_words(node);
    return {.pid = static_cast<int>(words[0] >> 32),
            .descriptor = static_cast<int>(words[0] & 0xffffffff),
            .device = words[1],
            .inode = words[2]};
  }
  bool has_probes() const { return words_.size() > probes_; }
  std::span<std::uint64_t, SingleCopyProbe::kWords> probe(int rank) {
    const std::size_t at = probes_ + SingleCopyProbe::kWords * static_cast<std::size_t>(rank);
    return std::span(words_).subspan(at).first<SingleCopyProbe::kWords>();
  }

 private:
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};
  static constexpr std::size_t kPlaces = IdleContainers::kWords;  // they begin here
  static constexpr std::size_t kOfAddress = 3;

  std::span<std::uint64_t> address_words(int node) {
    return addresses().subspan(kOfAddress * static_cast<std::size_t>(node), kOfAddress);
  }

  std::size_t addresses_;  // they begin here
  std::size_t probes_;
  std::vector<std::uint64_t> words_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_JOINT_WORDS_H_
