// Nodes that are late in an announced broadcast, over a fake network: those below them are served
// from above, and every node once.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inter/engine.h"
#include "inter/notices.h"
#include "inter/registry.h"
#include "inter/served_nodes.h"
#include "inter/tofu_algos/torus.h"
#include "tests/inter/engine_run.h"
#include "tests/inter/fake_network.h"

namespace mpiactor::inter {
namespace {

// A broadcast whose nodes come one by one.
// Every node's members share the sending, as far as they lead or have come by then.
class Job {
 public:
  Job(const Algorithm& algorithm, int nodes, std::uint64_t bytes, unsigned seed)
      : algorithm_(algorithm),
        bytes_(bytes),
        random_(seed + 1),
        root_node_(draw(nodes)),
        network_(seed),
        leaders_(nodes, kMembers, root_node_, kMembers),
        served_(static_cast<std::size_t>(nodes)),
        runs_(static_cast<std::size_t>(nodes)) {
    for (int rank = 0; rank < nodes * kMembers; ++rank) {
      network_.be(rank);
      notices_.push_back(std::make_unique<Notices>(MPI_COMM_WORLD));
      boxes_.push_back(std::make_unique<NoticeBox>(*notices_.back(), 3, ranks_));
    }
    for (int node = 0; node < nodes; ++node) {
      NodeRun& run = runs_[static_cast<std::size_t>(node)];
      run.plan = plan(node);
      run.buffer.resize(bytes);
      run.arrived.resize(bytes);
      for (std::uint64_t i = 0; node == root_node_ && i < bytes; ++i) run.buffer[i] = pattern(i);
      lead_.push_back(node * kMembers + draw(kMembers));
    }
  }
  ~Job() {
    for (NodeRun& run : runs_) run.engine.reset();
  }

  int nodes() const { return static_cast<int>(runs_.size()); }
  int root_node() const { return root_node_; }
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  Plan plan(int node) const { return plan_of(algorithm_, nodes(), node, root_node_, bytes_); }
  bool sends(int node) const {
    const std::vector<PlanOp>& ops = run(node).plan.ops;
    return std::any_of(ops.begin(), ops.end(),
                       [](const PlanOp& op) { return op.kind == OpKind::kSend; });
  }
  // Whether `node` sends to `peer` by its plan.
  bool sends(int node, int peer) const {
    for (const PlanOp& op : run(node).plan.ops) {
      if (op.kind == OpKind::kSend && op.peer == peer) return true;
    }
    return false;
  }
  bool is_done(int node) const { return run(node).engine && run(node).engine->done(); }
  bool are_all_done() const {
    for (int node = 0; node < nodes(); ++node) {
      if (!is_done(node)) return false;
    }
    return true;
  }

  void come(int node) {
    NodeRun& own = runs_[static_cast<std::size_t>(node)];
    const int rank = lead_[static_cast<std::size_t>(node)];
    network_.be(rank);
    EngineSetup setup = setup_of(own, leaders_, node, rank, Mode::kAnnounced);
    setup.served = &served_[static_cast<std::size_t>(node)];
    setup.notices = boxes_[static_cast<std::size_t>(rank)].get();
    setup.trees = algorithm_.is_of_trees ? trees_of(own.plan) : 0;
    setup.plan_of = [this](int other) { return plan(other); };
    own.engine = std::make_unique<Engine>(std::move(setup));
  }
  // False after half a minute.
  template <typename Over>
  bool work_until(Over is_over) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_over()) {
      if (std::chrono::steady_clock::now() > end) return false;
      for (int node = 0; node < nodes(); ++node) {
        if (!run(node).engine || is_done(node)) continue;
        network_.be(lead_[static_cast<std::size_t>(node)]);
        run(node).engine->progress();
      }
      network_.deliver();
    }
    return true;
  }
  // All have left the request: each byte came once, and nothing is on the network.
  void check() {
    std::vector<std::unique_ptr<DropList>> drops;
    for (int node = 0; node < nodes(); ++node) {
      for (const int rank : leaders_.of_node(node)) {
        network_.be(rank);
        drops.push_back(std::make_unique<DropList>(MPI_COMM_WORLD));
        if (rank == lead_[static_cast<std::size_t>(node)]) {
          run(node).engine->leave(*drops.back());
        } else {
          expect_announcements(*drops.back(), plan(node), 5);
        }
      }
      for (std::uint64_t i = 0; i < bytes_; ++i) {
        ASSERT_EQ(run(node).buffer[i], pattern(i)) << "byte " << i << " of node " << node;
        ASSERT_EQ(run(node).arrived[i], node == root_node_ ? 0 : 1)
            << "byte " << i << " of node " << node;
      }
    }
    for (int round = 0; round < 100; ++round) {
      for (std::size_t rank = 0; rank < notices_.size(); ++rank) {
        network_.be(static_cast<int>(rank));
        notices_[rank]->poll();
      }
      network_.deliver();
    }
    for (const auto& drop : drops) drop->drain([&] { network_.deliver(); });
    for (NodeRun& run : runs_) run.engine.reset();
    EXPECT_EQ(network_.unmatched(), 0u);
  }

 private:
  const NodeRun& run(int node) const { return runs_[static_cast<std::size_t>(node)]; }

  const Algorithm& algorithm_;
  std::uint64_t bytes_;
  std::mt19937 random_;
  int root_node_;
  FakeNetwork network_;
  Leaders leaders_;
  RankMap ranks_;
  std::vector<ServedNodes> served_;
  std::vector<NodeRun> runs_;
  std::vector<int> lead_;
  std::vector<std::unique_ptr<Notices>> notices_;
  std::vector<std::unique_ptr<NoticeBox>> boxes_;
};

// What the engine relies on: every range goes whole down one tree, with one channel all the way.
void check_trees(const Algorithm& algorithm, const Shape& shape, int root_node,
                 std::uint64_t bytes) {
  std::map<int, std::pair<std::uint64_t, std::uint64_t>> ranges;  // of channels
  std::optional<int> trees;
  for (int node = 0; node < shape.nodes(); ++node) {
    PlanInput input;
    input.shape = shape;
    input.root_node = root_node;
    input.bytes = bytes;
    input.node = node;
    const Plan plan = algorithm.make_plan(input);
    std::set<int> received;
    for (const PlanOp& op : plan.ops) {
      const std::pair range{op.offset, op.bytes};
      EXPECT_EQ(ranges.try_emplace(op.channel, range).first->second, range);
      EXPECT_FALSE(op.is_strided());
      EXPECT_TRUE(op.kind == OpKind::kSend || received.insert(op.channel).second);
    }
    for (const PlanOp& op : plan.ops) {
      EXPECT_TRUE(op.kind != OpKind::kSend || node == root_node || received.contains(op.channel));
    }
    EXPECT_EQ(received.empty(), node == root_node);
    if (!trees) trees = trees_of(plan);
    EXPECT_EQ(trees_of(plan), *trees) << "node " << node;
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_LE(static_cast<std::size_t>(*trees), kMostAdopted);
}

TEST(EngineLate, AlgorithmsOfTreesAreOfTrees) {
  int checked = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.is_of_trees) continue;
    ASSERT_EQ(algorithm.collective, Collective::kBcast);
    ++checked;
    for (const char* text : {"2", "5", "16m", "4x3", "5mx4m", "4x3x2", "3mx4x3m", "4mx4mx4m"}) {
      const Shape shape = parse_shape(text);
      if (!algorithm.supports(shape)) continue;
      for (const std::uint64_t bytes : {1u, 7u, 1000u, 300'000u}) {
        for (const int root : {0, static_cast<int>(shape.nodes()) / 2}) {
          SCOPED_TRACE(std::string(algorithm.name) + " on " + text + ", root " +
                       std::to_string(root) + ", " + std::to_string(bytes) + " bytes");
          check_trees(algorithm, shape, root, bytes);
        }
      }
    }
  }
  EXPECT_EQ(checked, 9);
}

TEST(EngineLate, ALateNodeHoldsBackNobody) {
  for (const char* name : {"chain", "pipeline", "binary", "binomial", "bintree3d", "bintree6d",
                           "trinaryx3", "trinaryx6"}) {
    const Algorithm& algorithm = *find_algorithm(Collective::kBcast, name);
    for (const int nodes : {5, 8, 13}) {
      for (unsigned seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(nodes) + " nodes, seed " +
                     std::to_string(seed));
        Job job(algorithm, nodes, 1000, seed);
        int late = job.draw(nodes);
        while (late == job.root_node() || !job.sends(late)) late = job.draw(nodes);
        const bool root_comes_last = job.draw(2) != 0;
        for (int i = 0; i < nodes; ++i) {
          const int node = (i + job.root_node() + (root_comes_last ? 1 : 0)) % nodes;
          if (node != late) job.come(node);
          if (job.draw(3) == 0) job.work_until([] { return true; });
        }
        // Those that send to the late node stay for it.
        ASSERT_TRUE(job.work_until([&] {
          for (int node = 0; node < nodes; ++node) {
            if (node != late && !job.sends(node, late) && !job.is_done(node)) return false;
          }
          return true;
        }));
        job.come(late);
        ASSERT_TRUE(job.work_until([&] { return job.are_all_done(); }));
        job.check();
      }
    }
  }
}

// Whatever the algorithm; several are late, and come in between.
TEST(EngineLate, NodesThatComeAtAnyTimeAreServedOnce) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::kBcast) continue;
    for (const int nodes : {5, 8, 13, 16}) {
      if (!algorithm.supports(Shape::line(nodes))) continue;
      for (unsigned seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(nodes) + " nodes, seed " +
                     std::to_string(seed));
        Job job(algorithm, nodes, 1000, seed);
        std::vector<int> order;
        for (int node = 0; node < nodes; ++node) {
          order.insert(order.begin() + job.draw(node + 1), node);
        }
        for (const int node : order) {
          job.come(node);
          const auto until = std::chrono::steady_clock::now() +
                             std::chrono::microseconds(job.draw(3) == 0 ? job.draw(6000) : 0);
          job.work_until([&] { return std::chrono::steady_clock::now() >= until; });
        }
        ASSERT_TRUE(job.work_until([&] { return job.are_all_done(); }));
        job.check();
      }
    }
  }
}

// Those that a root sends to a node that lets it wait. Most have come by the time that its leader
// does, which has no reason to look for them.
TEST(EngineLate, WordsOfSizesDoNotPileUp) {
  constexpr std::uint64_t kBytes = 8;  // so that no leader waits long enough to look around
  constexpr std::uint64_t kRequests = 128;
  const Algorithm& algorithm = *find_algorithm(Collective::kBcast, "linear");
  FakeNetwork network(1);
  const Leaders leaders(2, 1, 0);
  const RankMap ranks;
  Notices notices[2] = {Notices(MPI_COMM_WORLD), Notices(MPI_COMM_WORLD)};
  NoticeBox boxes[2] = {NoticeBox(notices[0], 3, ranks), NoticeBox(notices[1], 3, ranks)};
  DropList drops[2] = {DropList(MPI_COMM_WORLD), DropList(MPI_COMM_WORLD)};
  std::size_t most = 0;
  for (std::uint64_t request = 1; request <= kRequests; ++request) {
    NodeRun runs[2];
    for (const int node : {0, 1}) {
      NodeRun& run = runs[node];
      run.plan = plan_of(algorithm, 2, node, 0, kBytes);
      run.buffer.resize(kBytes);
      run.arrived.resize(kBytes);
      network.be(node * kMembers);
      if (node == 0) boxes[0].tell_size(kMembers, request, kBytes);
      EngineSetup setup = setup_of(run, leaders, node, node * kMembers, Mode::kAnnounced);
      setup.sequence = request;
      setup.notices = &boxes[node];
      run.engine = std::make_unique<Engine>(std::move(setup));
    }
    while (!runs[0].engine->done() || !runs[1].engine->done()) {
      for (const int node : {0, 1}) {
        network.be(node * kMembers);
        runs[node].engine->progress();
      }
      network.deliver();
    }
    for (const int node : {0, 1}) {
      network.be(node * kMembers);
      runs[node].engine->leave(drops[node]);
    }
    most = std::max(most, network.unmatched());
  }
  EXPECT_LT(most, 40u);
}

}  // namespace
}  // namespace mpiactor::inter
