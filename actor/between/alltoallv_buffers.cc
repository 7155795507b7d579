#include "actor/between/alltoallv_buffers.h"

#include "actor/shm/cache_line.h"

namespace mpiactor {
namespace {

constexpr std::uint64_t kNumber = sizeof(std::uint64_t);

std::uint64_t count(int number) { return static_cast<std::uint64_t>(number); }

// That members write at the same time.
std::uint64_t words(const NodeMap& nodes) { return count(nodes.nodes()) + 1; }

}  // namespace

AlltoallvBuffers::AlltoallvBuffers(const NodeMap& nodes, int node, std::uint64_t short_bytes)
    : nodes_(nodes), node_(node), short_bytes_(short_bytes) {}

std::uint64_t AlltoallvBuffers::most_bytes(const NodeMap& nodes, std::uint64_t short_bytes) {
  const std::uint64_t most = count(nodes.most_members());
  const std::uint64_t others = count(nodes.nodes() - 1);
  const std::uint64_t lines = words(nodes) * shm::kCacheLine;
  const std::uint64_t parts = most * (others + 1) + most * others;
  const std::uint64_t blocks = most * count(nodes.ranks()) + most * most * others;
  return lines + (2 * others + 1) * kMessageBegin + parts * kNumber +
         blocks * (kNumber + short_bytes);
}

std::uint64_t AlltoallvBuffers::short_bytes_for(const NodeMap& nodes, std::uint64_t room) {
  const std::uint64_t least = most_bytes(nodes, 0);
  if (least >= room) return 0;
  const std::uint64_t for_each_byte = most_bytes(nodes, 1) - least;
  return (room - least) / for_each_byte / kNumber * kNumber;
}

std::uint64_t AlltoallvBuffers::zeroed_bytes() const { return words(nodes_) * shm::kCacheLine; }

std::uint64_t AlltoallvBuffers::most_incoming_bytes() const {
  return kMessageBegin +
         count(nodes_.most_members()) * (kNumber + members(node_) * (kNumber + short_bytes_));
}

// Of the node behind the last one: where the block messages end.
std::byte* AlltoallvBuffers::outgoing(int node) const {
  const int before = node == nodes_.nodes() ? nodes_.ranks() : nodes_.first_position(node);
  return memory_ + zeroed_bytes() + count(node) * kMessageBegin +
         members(node_) * (count(node) * kNumber + count(before) * (kNumber + short_bytes_));
}

std::byte* AlltoallvBuffers::incoming(std::uint64_t index) const {
  return outgoing(nodes_.nodes()) + index * most_incoming_bytes();
}

std::uint64_t AlltoallvBuffers::bytes() const {
  return static_cast<std::uint64_t>(incoming(count(nodes_.nodes() - 1)) - memory_);
}

std::atomic<std::uint64_t>& AlltoallvBuffers::word(int index) const {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(memory_ + count(index) * shm::kCacheLine);
}

std::byte* AlltoallvBuffers::take_room(int node, std::uint64_t bytes) {
  // Whoever reads the parts has seen their writers arrive.
  return outgoing(node) + sizeof(Head) + word(node).fetch_add(bytes, std::memory_order_relaxed);
}

void AlltoallvBuffers::note_longest(std::uint64_t longest) {
  std::atomic<std::uint64_t>& most = word(longest_word());
  std::uint64_t before = most.load(std::memory_order_relaxed);
  while (before < longest &&
         !most.compare_exchange_weak(before, longest, std::memory_order_relaxed)) {
  }
}

AlltoallvBuffers::Head AlltoallvBuffers::head_for(int node) const {
  const auto value = [this](int index) { return word(index).load(std::memory_order_relaxed); };
  return {.node = count(node_), .bytes = value(node), .longest_block = value(longest_word())};
}

AlltoallvBuffers::Message AlltoallvBuffers::finish_message(int node) {
  const Head head = head_for(node);
  std::memcpy(outgoing(node), &head, sizeof head);
  return {outgoing(node), sizeof head + head.bytes};
}

AlltoallvBuffers::Parts AlltoallvBuffers::incoming_parts(std::uint64_t index) const {
  Parts parts{{}, incoming(index) + sizeof(Head)};
  std::memcpy(&parts.head, incoming(index), sizeof(Head));
  return parts;
}

AlltoallvBuffers::Parts AlltoallvBuffers::own_parts() const {
  return {head_for(node_), outgoing(node_) + sizeof(Head)};
}

}  // namespace mpiactor
