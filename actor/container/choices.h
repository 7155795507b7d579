// What a communicator's collectives do between nodes. Kept for programs that call the same sizes
// again and again, in bounded memory however many nodes there are.
#ifndef MPIACTOR_ACTOR_CONTAINER_CHOICES_H_
#define MPIACTOR_ACTOR_CONTAINER_CHOICES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "actor/config/settings.h"
#include "inter/plan.h"
#include "inter/select.h"
#include "inter/tofu_algos/torus.h"
#include "inter/tuning.h"

namespace mpiactor {

struct Choice {
  inter::Selection selection;
  inter::Plan plan;
};

// Algorithms that are set and cannot be used where nodes do not have equally many ranks: a sentence
// for each.
std::vector<std::string> unsuited_settings(const Settings& settings);

// What rules ask of a communicator's nodes, and of the job. `members`: of the largest node.
inter::Layout layout_for_rules(const Settings& settings, int members, int ranks, bool crowded);
// Who says how the nodes lie (MPIACTOR_TORUS) means it, also where they lie on a line.
inter::LinkModel link_for_rules(const Settings& settings, inter::LinkModel link);

// One thread at a time.
class Choices {
 public:
  // Plans of trees take some hundred bytes. Those in which a node talks with all others, or takes
  // a step for each of them, grow with the nodes: they are kept up to this size, and all together
  // up to kMostKeptBytes. Others live as long as their call.
  static constexpr std::size_t kLongestKeptPlanBytes = 64 << 10;
  static constexpr std::size_t kMostKeptBytes = 256 << 10;
  // What keeping a choice takes beside its plan.
  static constexpr std::size_t kChoiceBytes = 256;

  // `settings` and `tuning` must outlive this; `node`: whose plans. `view`: where the nodes lie.
  Choices(const Settings& settings, const inter::Tuning& tuning, inter::TorusView view, int node,
          const inter::Layout& layout = {})
      : settings_(settings),
        tuning_(tuning),
        view_(std::move(view)),
        node_(node),
        layout_(layout) {}

  // `bytes`: as PlanInput's; `granule_bytes`: elements that must not be cut.
  std::shared_ptr<const Choice> choose(inter::Collective collective, int root_node,
                                       std::uint64_t bytes, std::uint64_t granule_bytes);
  // Another node's, where this one's is by `selection`. It is not kept.
  inter::Plan plan_of(int node, const inter::Selection& selection, int root_node,
                      std::uint64_t bytes, std::uint64_t granule_bytes = 1) const;
  // Of a broadcast: the same, but the root sends to all nodes itself.
  std::shared_ptr<const Choice> served_by_root(const Choice& choice, int root_node,
                                               std::uint64_t bytes) const;
  // The plan of an alltoall by `algorithm` with blocks in this node's own buffers: gives[i] and
  // takes[i] for node i, as PlanInput has them.
  inter::Plan alltoall_plan(const inter::Algorithm& algorithm,
                            std::span<const inter::ByteRange> gives,
                            std::span<const inter::ByteRange> takes) const;

  inter::TorusView& view() { return view_; }
  const inter::TorusView& view() const { return view_; }
  const inter::Layout& layout() const { return layout_; }
  std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Key {
    inter::Collective collective;
    int root_node;
    std::uint64_t bytes;
    std::uint64_t granule_bytes;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (key.bytes * 64 + key.granule_bytes * 8 + static_cast<unsigned>(key.collective)) *
                 0x9e3779b97f4a7c15u +
             static_cast<unsigned>(key.root_node);
    }
  };
  Choice make(const Key& key) const;
  void keep(const Key& key, const std::shared_ptr<const Choice>& choice);

  const Settings& settings_;
  const inter::Tuning& tuning_;
  inter::TorusView view_;
  int node_;
  inter::Layout layout_;
  std::unordered_map<Key, std::shared_ptr<const Choice>, KeyHash> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_CHOICES_H_
