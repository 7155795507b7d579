// One node's part in a collective over the fake network, and who may lead nodes there.
#ifndef MPIACTOR_TESTS_INTER_ENGINE_RUN_H_
#define MPIACTOR_TESTS_INTER_ENGINE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "inter/engine.h"
#include "inter/peer_buffers.h"
#include "inter/registry.h"

namespace mpiactor::inter {

inline constexpr int kMembers = 2;  // of a node: ranks node * kMembers ...

// `each` possible leaders a node, `of_root` of the root's.
class Leaders : public PossibleLeaders {
 public:
  Leaders(int nodes, int each, int root_node, int of_root = 1)
      : ranks_(static_cast<std::size_t>(nodes)) {
    for (int node = 0; node < nodes; ++node) {
      for (int i = 0; i < (node == root_node ? of_root : each); ++i) {
        ranks_[static_cast<std::size_t>(node)].push_back(node * kMembers + i);
      }
    }
  }
  RankList of_node(int node) const override {
    const std::vector<int>& ranks = ranks_[static_cast<std::size_t>(node)];
    return RankList::view(ranks.data(), static_cast<int>(ranks.size()));
  }

 private:
  std::vector<std::vector<int>> ranks_;
};

enum class Mode { kAnnounced, kPushed, kPushedToOne, kPushedFromRoot, kDirect, kSynchronous };
inline bool is_pushed(Mode mode) {
  return mode == Mode::kPushed || mode == Mode::kPushedToOne || mode == Mode::kPushedFromRoot;
}
inline Push push_way(Mode mode) {
  if (mode == Mode::kPushedToOne) return Push::kToOne;
  return mode == Mode::kPushedFromRoot ? Push::kFromRoot : Push::kToAll;
}

inline std::byte pattern(std::uint64_t i) { return static_cast<std::byte>(i * 7 + i / 256 + 1); }

struct NodeRun {
  std::unique_ptr<PeerBuffers> peers;
  Plan plan;
  std::vector<std::byte> buffer;
  std::vector<int> arrived;  // of every byte: how often
  std::unique_ptr<Engine> engine;
};

inline EngineSetup setup_of(NodeRun& run, const Leaders& leaders, int node, int rank, Mode mode) {
  EngineSetup setup;
  setup.plan = &run.plan;
  setup.leaders = &leaders;
  setup.node = node;
  setup.rank = rank;
  setup.sequence = 5;
  setup.message_bytes = setup.capacity = run.buffer.size();
  setup.buffer = run.buffer.data();
  setup.segment_bytes = 96;
  setup.push = is_pushed(mode);
  setup.longest_push_bytes = run.buffer.size();
  setup.direct = mode == Mode::kDirect || mode == Mode::kSynchronous;
  setup.synchronous = mode == Mode::kSynchronous;
  setup.arrived = [&run](std::uint64_t offset, std::uint64_t bytes) {
    for (std::uint64_t i = offset; i < offset + bytes; ++i) ++run.arrived[i];
  };
  return setup;
}

inline Plan plan_of(const Algorithm& algorithm, int nodes, int node, int root_node,
                    std::uint64_t bytes) {
  PlanInput input;
  input.shape = Shape::line(nodes);
  input.root_node = root_node;
  input.bytes = bytes;
  input.node = node;
  input.granule_bytes = sizeof(std::uint64_t);
  return algorithm.make_plan(input);
}

}  // namespace mpiactor::inter

#endif  // MPIACTOR_TESTS_INTER_ENGINE_RUN_H_
