// Who serves which node in one request: shared by the members of a node that send to others, in
// memory that is theirs together. Without locks: a process that dies holds nothing.
//
// Children are the nodes that this one sends to by its plan, in the order of for_each_peer(). A
// child that has announced itself is claimed by one member, which serves it, and from then on the
// child itself says who serves the nodes below it. While a child is late, nodes below it may be
// adopted: a member here serves them in its place. What was adopted is told to the child with its
// bytes. So every node has one server, whatever the order in which nodes come.
#ifndef MPIACTOR_INTER_SERVED_NODES_H_
#define MPIACTOR_INTER_SERVED_NODES_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>

namespace mpiactor::inter {

inline constexpr std::size_t kMostChildren = 56;
inline constexpr std::size_t kMostAdopted = 24;  // of all trees
// Nodes between one and the node that serves it in their place.
inline constexpr std::size_t kMostBetween = 7;

// A node that another one than the plan's serves, down one tree of the plan (its channel).
struct Adopted {
  std::int32_t node = 0;
  std::int32_t channel = 0;
  bool operator==(const Adopted&) const = default;
};

struct AdoptedList {
  std::array<Adopted, kMostAdopted> nodes;
  std::uint64_t count = 0;

  std::span<const Adopted> all() const { return {nodes.data(), count}; }
  bool contains(Adopted one) const {
    return std::find(all().begin(), all().end(), one) != all().end();
  }
};

// Zeros are the start of a request.
class ServedNodes {
 public:
  // By who begins the request, before others look.
  void clear() {
    if (word_.load(std::memory_order_relaxed) == 0) return;
    for (auto& entry : entries_) entry.store(0, std::memory_order_relaxed);
    word_.store(0, std::memory_order_relaxed);
  }

  // Whether the caller serves the child from now on.
  bool claim(std::size_t child) {
    return (word_.fetch_or(bit(child), std::memory_order_acq_rel) & bit(child)) == 0;
  }
  // Changes with every claim and every adoption.
  std::uint64_t version() const { return word_.load(std::memory_order_acquire); }
  static bool is_claimed(std::uint64_t version, std::size_t child) {
    return (version & bit(child)) != 0;
  }

  // Whether the caller serves `who`, below `child`, from now on. Not where `child` is claimed, nor
  // where `who` or a node `between` the two is served from here already; nor, this time, where
  // another member is about to say what it has adopted, or where `most` are of this tree. With
  // kMostAdopted / trees, what is inherited of all trees has room.
  bool adopt(std::size_t child, Adopted who, std::span<const int> between, std::size_t most) {
    std::uint64_t version = this->version();
    for (;;) {
      if (is_claimed(version, child)) return false;
      const std::optional<AdoptedList> others = adopted(version);
      if (!others || others->contains(who)) return false;
      std::size_t of_tree = 0;
      for (const Adopted& other : others->all()) {
        of_tree += other.channel == who.channel;
        if (std::find(between.begin(), between.end(), other.node) != between.end()) return false;
      }
      if (of_tree >= most) return false;
      if (add(version, who)) return true;
    }
  }
  // By who has got the node's bytes, before others send them: nodes that one above serves.
  void inherit(std::span<const Adopted> nodes) {
    for (const Adopted& one : nodes) {
      std::uint64_t version = this->version();
      while (!add(version, one)) continue;
    }
  }

  // Whether it is served from above; of a child of this node.
  bool has_inherited(Adopted child) const {
    const std::uint64_t count = version() >> kCountShift;
    for (std::size_t i = 0; i < count; ++i) {
      if (entries_[i].load(std::memory_order_acquire) == entry_of(child)) return true;
    }
    return false;
  }

  // All that are adopted; nothing where a member is about to say which one it has. After claim()
  // returned true none is added below that child.
  std::optional<AdoptedList> adopted() const { return adopted(version()); }

 private:
  static constexpr int kCountShift = kMostChildren;
  static constexpr std::uint64_t bit(std::size_t child) { return std::uint64_t{1} << child; }

  static constexpr std::uint64_t entry_of(Adopted one) {
    return static_cast<std::uint64_t>(one.node + 1) << 32 | static_cast<std::uint32_t>(one.channel);
  }

  std::optional<AdoptedList> adopted(std::uint64_t version) const {
    AdoptedList list;
    list.count = version >> kCountShift;
    for (std::size_t i = 0; i < list.count; ++i) {
      const std::uint64_t entry = entries_[i].load(std::memory_order_acquire);
      if (entry == 0) return std::nullopt;
      list.nodes[i] = {static_cast<std::int32_t>(entry >> 32) - 1,
                       static_cast<std::int32_t>(entry & 0xffffffffu)};
    }
    return list;
  }

  // False, with the word as it is now, where it has changed meanwhile.
  bool add(std::uint64_t& version, Adopted one) {
    const std::uint64_t more = version + (std::uint64_t{1} << kCountShift);
    if (!word_.compare_exchange_weak(version, more, std::memory_order_acq_rel)) return false;
    entries_[version >> kCountShift].store(entry_of(one), std::memory_order_release);
    return true;
  }

  // A bit for each child that is claimed, then the number of entries.
  std::atomic<std::uint64_t> word_{0};
  // node + 1 and channel; 0: not said yet.
  std::atomic<std::uint64_t> entries_[kMostAdopted] = {};
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SERVED_NODES_H_
