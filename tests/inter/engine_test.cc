// The engine over a fake network: every algorithm moves the right bytes however messages are
// delayed, with announced, pushed and direct messages, and leaves nothing on the network; what
// breaks its rules is found by the assertions of debug builds.
#include "inter/engine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "inter/assertion.h"
#include "inter/blocks.h"
#include "inter/engine_memory.h"
#include "inter/peer_buffers.h"
#include "inter/pushed.h"
#include "inter/registry.h"
#include "tests/inter/engine_run.h"
#include "tests/inter/fake_network.h"

namespace mpiactor::inter {
namespace {

// Large buffers for all peers, none, one from the start, one in the end.
PeerPolicy policy_of(unsigned seed) {
  const PeerPolicy policies[] = {{}, {0, 0}, {1, 0}, {1, 1}};
  return policies[seed % 4];
}

// The first possible leader of a node that another one leads: hands on what comes for that one.
void pass_on_to(FakeNetwork& network, int first, int leader) {
  if (first == leader) return;
  network.be(first);
  if (const auto pushed = take_pushed(MPI_COMM_WORLD, 5)) {
    pass_on(*pushed, MPI_COMM_WORLD, 5, leader, [&] { network.deliver(); });
  }
}

void run_all(
    FakeNetwork& network, std::vector<NodeRun>& runs, const std::vector<int>& ranks,
    const std::function<void()>& others = [] {}) {
  for (int round = 0; round < 100000; ++round) {
    bool all = true;
    others();
    for (std::size_t node = 0; node < runs.size(); ++node) {
      if (runs[node].engine->done()) continue;  // as in a call: it hears nothing more
      network.be(ranks[node]);
      runs[node].engine->progress();
      all &= runs[node].engine->done();
    }
    network.deliver();
    if (all) return;
  }
  FAIL() << "the engines do not come to an end";
}

// A broadcast from node `root_node`, whose leaders are drawn; the other members drop what is
// theirs. With even seeds the message lies there from the beginning, else it comes meanwhile.
void check_bcast(const Algorithm& algorithm, int nodes, Mode mode, std::uint64_t bytes,
                 unsigned seed) {
  SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(nodes) + " nodes, mode " +
               std::to_string(static_cast<int>(mode)) + ", seed " + std::to_string(seed));
  FakeNetwork network(seed);
  std::mt19937 random(seed + 1);
  const int root_node = static_cast<int>(random() % static_cast<unsigned>(nodes));
  const bool one = mode == Mode::kDirect || mode == Mode::kSynchronous;
  // Where nodes ask for short messages, too, the root is known to all, or anybody of its node may
  // send.
  const int of_root = one ? 1 : 1 + static_cast<int>(random() % kMembers);
  const Leaders leaders(nodes, one ? 1 : kMembers, root_node, of_root);
  std::vector<NodeRun> runs(static_cast<std::size_t>(nodes));
  std::vector<int> ranks;
  std::vector<std::multiset<int>> heard(runs.size());  // nodes that said how uneven they are
  NodeRun& root = runs[static_cast<std::size_t>(root_node)];
  root.buffer.resize(bytes);
  std::uint64_t there = 0;
  const auto lay_down = [&](std::uint64_t some) {
    for (const std::uint64_t end = std::min(bytes, there + some); there < end; ++there)
      root.buffer[there] = pattern(there);
  };
  if (seed % 2 == 0) lay_down(bytes);
  for (int node = 0; node < nodes; ++node) {
    NodeRun& run = runs[static_cast<std::size_t>(node)];
    const bool sends_to_all = mode == Mode::kPushedFromRoot && node == root_node;
    run.plan = plan_of(sends_to_all ? *find_algorithm(Collective::kBcast, "linear") : algorithm,
                       nodes, node, root_node, bytes);
    run.buffer.resize(bytes);
    run.arrived.resize(bytes);
    const auto possible = leaders.of_node(node);
    ranks.push_back(possible[random() % possible.size()]);
    network.be(ranks.back());
    EngineSetup setup = setup_of(run, leaders, node, ranks.back(), mode);
    if (node == root_node) setup.push_way = push_way(mode);
    setup.uneven = std::chrono::nanoseconds(node + 1);
    setup.others_uneven = [&heard, node](std::chrono::nanoseconds uneven) {
      heard[static_cast<std::size_t>(node)].insert(static_cast<int>(uneven.count()) - 1);
    };
    if (node == root_node && seed % 2 != 0) setup.there = [&there] { return there; };
    run.engine = std::make_unique<Engine>(std::move(setup));
  }
  run_all(network, runs, ranks, [&] {
    lay_down(random() % (bytes / 8));
    for (int node = 0; mode == Mode::kPushedToOne && node < nodes; ++node) {
      if (node == root_node) continue;
      pass_on_to(network, leaders.of_node(node).front(), ranks[static_cast<std::size_t>(node)]);
    }
  });
  std::vector<std::unique_ptr<DropList>> drops;
  for (int node = 0; node < nodes; ++node) {
    NodeRun& run = runs[static_cast<std::size_t>(node)];
    EXPECT_EQ(run.engine->push_way(), push_way(mode));
    const bool sends = std::any_of(run.plan.ops.begin(), run.plan.ops.end(),
                                   [](const PlanOp& op) { return op.kind == OpKind::kSend; });
    std::multiset<int> told;
    if (mode == Mode::kAnnounced) {
      for_each_peer(run.plan, true, [&](int peer) { told.insert(peer); });
    }
    for (const PlanOp& op : run.plan.ops) {
      const int sender = mode == Mode::kPushedFromRoot ? root_node : op.peer;
      if (is_pushed(mode) && op.kind == OpKind::kReceive) told.insert(sender);
    }
    EXPECT_EQ(heard[static_cast<std::size_t>(node)], told);
    const bool passes_on = mode != Mode::kPushedFromRoot || node == root_node;
    EXPECT_EQ(run.engine->time_of_copy().has_value(), sends && is_pushed(mode) && passes_on);
    for (const int rank : leaders.of_node(node)) {
      network.be(rank);
      drops.push_back(std::make_unique<DropList>(MPI_COMM_WORLD));
      if (rank == ranks[static_cast<std::size_t>(node)]) {
        run.engine->leave(*drops.back());
        continue;
      }
      if (is_pushed(mode)) {
        expect_copies(*drops.back(), 5, run.engine->copied_receives(), bytes);
      } else {
        expect_announcements(*drops.back(), run.plan, 5);
      }
    }
    for (std::uint64_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(run.buffer[i], pattern(i)) << "byte " << i << " of node " << node;
      ASSERT_EQ(run.arrived[i], node == root_node ? 0 : 1) << "byte " << i << " of node " << node;
    }
  }
  for (const auto& drop : drops) drop->drain([&] { network.deliver(); });
  for (NodeRun& run : runs) run.engine.reset();
  EXPECT_EQ(network.unmatched(), 0u);
}

TEST(Engine, BroadcastsMoveEveryByteOnce) {
  for (const char* name : {"linear", "chain", "binary", "binomial", "ring", "rdaas"}) {
    const Algorithm* const algorithm = find_algorithm(Collective::kBcast, name);
    ASSERT_NE(algorithm, nullptr) << name;
    for (const int nodes : {2, 3, 4, 6}) {
      for (const Mode mode : {Mode::kAnnounced, Mode::kPushed, Mode::kDirect, Mode::kSynchronous}) {
        for (unsigned seed = 1; seed <= 4; ++seed) check_bcast(*algorithm, nodes, mode, 1000, seed);
      }
    }
  }
}

// Nodes in between do as they are done by.
TEST(Engine, OneCopyANodeIsPassedOnToItsLeader) {
  for (const char* name : {"linear", "chain", "binary", "binomial"}) {
    const Algorithm* const algorithm = find_algorithm(Collective::kBcast, name);
    ASSERT_NE(algorithm, nullptr) << name;
    for (const int nodes : {2, 3, 4, 6}) {
      for (unsigned seed = 1; seed <= 8; ++seed) {
        check_bcast(*algorithm, nodes, Mode::kPushedToOne, 1000, seed);
      }
    }
  }
}

// Whatever tree the others believe in.
TEST(Engine, RootServesAllNodesItself) {
  for (const char* name : {"linear", "chain", "binary", "binomial"}) {
    const Algorithm* const algorithm = find_algorithm(Collective::kBcast, name);
    ASSERT_NE(algorithm, nullptr) << name;
    for (const int nodes : {2, 3, 4, 6, 11}) {
      for (unsigned seed = 1; seed <= 8; ++seed) {
        check_bcast(*algorithm, nodes, Mode::kPushedFromRoot, 1000, seed);
      }
    }
  }
}

// Whoever pushes does not stay for receivers that do not look for what was pushed to them; that
// goes on in passing, from memory that lasts.
TEST(Engine, PushesThatNobodyTakesAreLeftBehind) {
  constexpr std::uint64_t kBytes = 1000;
  FakeNetwork network(1);
  network.end_sends_when_taken();
  const Leaders leaders(2, kMembers, 0);
  NodeRun run;
  run.plan = plan_of(*find_algorithm(Collective::kBcast, "linear"), 2, 0, 0, kBytes);
  for (std::uint64_t i = 0; i < kBytes; ++i) run.buffer.push_back(pattern(i));
  run.engine = std::make_unique<Engine>(setup_of(run, leaders, 0, 0, Mode::kPushed));
  // The MPI library may need some time to put it on the network.
  for (int i = 0; i < 10; ++i) run.engine->progress();
  EXPECT_FALSE(run.engine->done());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!run.engine->done() && std::chrono::steady_clock::now() < end) run.engine->progress();
  ASSERT_TRUE(run.engine->done());
  DropList drops(MPI_COMM_WORLD);
  run.engine->leave(drops);
  run.engine.reset();
  run.buffer.assign(kBytes, std::byte{});
  drops.sweep();
  EXPECT_EQ(drops.size(), 1u);
  EXPECT_GT(drops.memory_bytes(), kBytes);  // one message for all of a node
  EXPECT_EQ(network.unmatched(), std::size_t{kMembers});

  for (int member = 0; member < kMembers; ++member) {
    network.be(kMembers + member);
    std::optional<KeptBytes> pushed;
    while (!pushed) pushed = take_pushed(MPI_COMM_WORLD, 5);
    EXPECT_EQ(header_of(*pushed).bytes, kBytes);
    for (std::uint64_t i = 0; i < kBytes; ++i)
      ASSERT_EQ(pushed->data()[sizeof(PushHeader) + i], pattern(i)) << "byte " << i;
  }
  network.be(0);
  drops.sweep();
  EXPECT_EQ(drops.size(), 0u);
}

// Both members of the root's node send, each node is served by one of them. The first one is left
// before the last node comes, which is the other one's then.
void check_shared_sending(const Algorithm& algorithm, unsigned seed) {
  SCOPED_TRACE(std::string(algorithm.name) + ", seed " + std::to_string(seed));
  constexpr int kNodes = 4;
  constexpr std::uint64_t kBytes = 1000;
  FakeNetwork network(seed);
  const Leaders leaders(kNodes, kMembers, 0, kMembers);
  std::vector<NodeRun> runs(kNodes);
  for (int node = 0; node < kNodes; ++node) {
    NodeRun& run = runs[static_cast<std::size_t>(node)];
    run.plan = plan_of(algorithm, kNodes, node, 0, kBytes);
    run.buffer.resize(kBytes);
    run.arrived.resize(kBytes);
    for (std::uint64_t i = 0; node == 0 && i < kBytes; ++i) run.buffer[i] = pattern(i);
  }
  const int late = runs[0].plan.ops.back().peer;
  ServedNodes served;
  std::unique_ptr<Engine> senders[kMembers];
  for (int rank = 0; rank < kMembers; ++rank) {
    network.be(rank);
    EngineSetup setup = setup_of(runs[0], leaders, 0, rank, Mode::kAnnounced);
    setup.served = &served;
    senders[rank] = std::make_unique<Engine>(std::move(setup));
  }
  const auto come = [&](int node) {
    NodeRun& run = runs[static_cast<std::size_t>(node)];
    network.be(node * kMembers);
    run.engine =
        std::make_unique<Engine>(setup_of(run, leaders, node, node * kMembers, Mode::kAnnounced));
  };
  const auto work_until = [&](auto is_over) {
    for (int round = 0; round < 100000 && !is_over(); ++round) {
      for (int rank = 0; rank < kMembers; ++rank) {
        network.be(rank);
        if (senders[rank] && !senders[rank]->done()) senders[rank]->progress();
      }
      for (int node = 1; node < kNodes; ++node) {
        NodeRun& run = runs[static_cast<std::size_t>(node)];
        network.be(node * kMembers);
        if (run.engine && !run.engine->done()) run.engine->progress();
      }
      network.deliver();
    }
    ASSERT_TRUE(is_over());
  };
  DropList drops(MPI_COMM_WORLD);
  const auto leave = [&](Engine& engine, int rank) {
    network.be(rank);
    engine.leave(drops);
  };
  for (int node = 1; node < kNodes; ++node) {
    if (node != late) come(node);
  }
  work_until([&] {
    return senders[0]->waits_for_late_nodes() && senders[1]->waits_for_late_nodes() &&
           served.version() != 0;
  });
  EXPECT_FALSE(senders[0]->done());
  leave(*senders[0], 0);
  senders[0].reset();
  come(late);
  work_until([&] {
    bool all = senders[1]->done();
    for (int node = 1; node < kNodes; ++node) {
      all &= runs[static_cast<std::size_t>(node)].engine->done();
    }
    return all;
  });
  leave(*senders[1], 1);
  for (int node = 1; node < kNodes; ++node) {
    NodeRun& run = runs[static_cast<std::size_t>(node)];
    leave(*run.engine, node * kMembers);
    network.be(node * kMembers + 1);
    expect_announcements(drops, run.plan, 5);
    for (std::uint64_t i = 0; i < kBytes; ++i) {
      ASSERT_EQ(run.buffer[i], pattern(i)) << "byte " << i << " of node " << node;
      ASSERT_EQ(run.arrived[i], 1) << "byte " << i << " of node " << node;
    }
  }
  drops.drain([&] { network.deliver(); });
  senders[1].reset();
  for (NodeRun& run : runs) run.engine.reset();
  EXPECT_EQ(network.unmatched(), 0u);
}

TEST(Engine, MembersOfANodeShareTheSending) {
  for (const char* name : {"linear", "binary", "binomial"}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      check_shared_sending(*find_algorithm(Collective::kBcast, name), seed);
    }
  }
}

// Vectors of numbers are added up; all nodes get the sum.
void check_allreduce(const Algorithm& algorithm, int nodes, unsigned seed) {
  SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(nodes) + " nodes, seed " +
               std::to_string(seed));
  constexpr std::uint64_t kNumbers = 100;
  FakeNetwork network(seed);
  const Leaders leaders(nodes, 1, 0);
  std::vector<NodeRun> runs(static_cast<std::size_t>(nodes));
  std::vector<int> ranks;
  for (int node = 0; node < nodes; ++node) {
    NodeRun& run = runs[static_cast<std::size_t>(node)];
    run.plan = plan_of(algorithm, nodes, node, 0, kNumbers * sizeof(std::uint64_t));
    std::vector<std::uint64_t> numbers(kNumbers);
    for (std::uint64_t i = 0; i < kNumbers; ++i) numbers[i] = i << node;
    run.buffer.resize(kNumbers * sizeof(std::uint64_t));
    std::memcpy(run.buffer.data(), numbers.data(), run.buffer.size());
    ranks.push_back(node * kMembers);
    network.be(ranks.back());
    EngineSetup setup = setup_of(run, leaders, node, ranks.back(), Mode::kDirect);
    run.peers = std::make_unique<PeerBuffers>(policy_of(seed));
    setup.peers = run.peers.get();
    setup.window = 4;
    setup.arrived = nullptr;
    setup.combine = [&run](const std::byte* incoming, std::uint64_t offset, std::uint64_t bytes,
                           int) {
      for (std::uint64_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        std::uint64_t a;
        std::uint64_t b;
        std::memcpy(&a, incoming + at, sizeof a);
        std::memcpy(&b, run.buffer.data() + offset + at, sizeof b);
        b += a;
        std::memcpy(run.buffer.data() + offset + at, &b, sizeof b);
      }
    };
    run.engine = std::make_unique<Engine>(std::move(setup));
  }
  run_all(network, runs, ranks);
  DropList none(MPI_COMM_WORLD);
  for (NodeRun& run : runs) {
    run.engine->leave(none);
    std::vector<std::uint64_t> numbers(kNumbers);
    std::memcpy(numbers.data(), run.buffer.data(), run.buffer.size());
    for (std::uint64_t i = 0; i < kNumbers; ++i) {
      ASSERT_EQ(numbers[i], i * ((std::uint64_t{1} << nodes) - 1));
    }
  }
  EXPECT_EQ(network.unmatched(), 0u);
}

TEST(Engine, AllreducesAddEveryVectorOnce) {
  int checked = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::kAllreduce) continue;
    ++checked;
    for (const int nodes : {2, 3, 4, 7}) {
      for (unsigned seed = 1; seed <= 4; ++seed) check_allreduce(algorithm, nodes, seed);
    }
  }
  EXPECT_GE(checked, 3);
}

// A node that combines what two others send, of 1000 bytes each: what it takes in before.
std::uint64_t intake_of(const PeerPolicy& policy, int calls = 1) {
  FakeNetwork network(1);
  const Leaders leaders(3, 1, 0);
  NodeRun run;
  run.plan = plan_of(*find_algorithm(Collective::kReduce, "binomial"), 3, 0, 0, 1000);
  run.buffer.resize(1000);
  network.be(0);
  PeerBuffers peers(policy);
  std::uint64_t taken = 0;
  for (int call = 0; call < calls; ++call) {
    EngineSetup setup = setup_of(run, leaders, 0, 0, Mode::kDirect);
    setup.peers = &peers;
    setup.window = 4;
    setup.combine = [](const std::byte*, std::uint64_t, std::uint64_t, int) {};
    const Engine engine(std::move(setup));
    taken = PeerBuffers::statistics().intake_bytes;
  }
  EXPECT_EQ(PeerBuffers::statistics().intake_bytes, 0u);
  return taken;
}

TEST(Engine, PeersWithSmallBuffersTakeInASegmentAtATime) {
  EXPECT_EQ(intake_of({}), 2u * 4 * 96);
  EXPECT_EQ(intake_of({.most_large = 0}), 2u * 96);
  EXPECT_EQ(intake_of({.most_large = 1}), 4u * 96 + 96);
  EXPECT_EQ(intake_of({.most_large = 2, .uses_before_large = 3}, 3), 2u * 96);
  EXPECT_EQ(intake_of({.most_large = 2, .uses_before_large = 3}, 4), 2u * 4 * 96);
}

TEST(Engine, MemoryIsWhatPeersWithLargeBuffersTakeIn) {
  const Plan plan = plan_of(*find_algorithm(Collective::kReduce, "binomial"), 3, 0, 0, 1000);
  const auto more_than_none = [&](int large_peers) {
    return engine_bytes(plan, 96, 4, large_peers) - engine_bytes(plan, 96, 4, 0);
  };
  constexpr std::uint64_t kPeer = 3 * (96 + Engine::flight_bytes());
  EXPECT_EQ(more_than_none(1), kPeer);
  EXPECT_EQ(more_than_none(2), 2 * kPeer);
  EXPECT_EQ(more_than_none(3), 2 * kPeer);
  EXPECT_EQ(more_than_none(PeerPolicy::kAllPeers), 2 * kPeer);
}

#if MPIACTOR_ASSERTIONS
// One node that sends 1000 bytes to another.
class OneSend {
 public:
  OneSend() : network_(1), leaders_(2, 1, 0) {
    run_.plan = plan_of(*find_algorithm(Collective::kBcast, "linear"), 2, 0, 0, 1000);
    run_.buffer.resize(1000);
    target_.resize(1000);
    setup_ = setup_of(run_, leaders_, 0, 0, Mode::kDirect);
  }
  // Takes what is sent.
  void take_all() {
    network_.be(kMembers);
    for (std::uint64_t at = 0; at < target_.size(); at += setup_.segment_bytes) {
      MPI_Request request;
      const std::uint64_t bytes = std::min<std::uint64_t>(setup_.segment_bytes, 1000 - at);
      PMPI_Irecv(target_.data() + at, static_cast<int>(bytes), MPI_BYTE, 0,
                 message_tag(setup_.sequence, MessageKind::kData, run_.plan.ops[0].channel),
                 MPI_COMM_WORLD, &request);
    }
    network_.be(0);
  }

  FakeNetwork network_;
  Leaders leaders_;
  NodeRun run_;
  EngineSetup setup_;
  std::vector<std::byte> target_;
};

TEST(EngineDeathTest, BytesBeyondTheBuffer) {
  OneSend one;
  one.setup_.capacity = 999;
  EXPECT_DEATH(Engine(one.setup_),
               "assertion failed: request 5, operation 0: bytes \\[0, 1000\\) of a buffer of 999");
}

TEST(EngineDeathTest, AWindowBeyondItsBounds) {
  OneSend one;
  one.setup_.window = kMaxWindow + 1;
  EXPECT_DEATH(Engine(one.setup_), "assertion failed: a window of 9 segments");
}

TEST(EngineDeathTest, ASegmentThatEndsTwice) {
  OneSend one;
  one.take_all();
  Engine engine(one.setup_);
  one.network_.end_twice();
  EXPECT_DEATH(
      {
        for (int i = 0; i < 1000 && !engine.done(); ++i) {
          one.network_.deliver();
          engine.progress();
        }
      },
      "assertion failed: request 5, operation 0: segment [0-9]+ ends, but is not under way");
}

TEST(EngineDeathTest, LeavingBeforeTheEnd) {
  OneSend one;
  Engine engine(one.setup_);
  DropList drops(MPI_COMM_WORLD);
  EXPECT_DEATH(engine.leave(drops), "assertion failed: request 5 is left with 1 open operations");
}
#endif

}  // namespace
}  // namespace mpiactor::inter
