// Whole calls: several ranks a node, late ones, leaders, sweeps, and every registered algorithm.
#include "sim/collective.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/arguments.h"
#include "sim/sweep.h"
#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

using inter::Collective;

constexpr auto kBcast = Collective::kBcast;

CollectiveInput chain_call(int nodes, int ranks_per_node) {
  CollectiveInput input;
  input.machine = round_machine();
  input.shape = inter::Shape::line(nodes);
  input.algorithm = parse_algorithm(kBcast, "chain", input.shape);
  input.bytes = 1000;
  input.ranks_per_node = ranks_per_node;
  return input;
}

// Two nodes of two ranks; the lowest rank of node 1 comes at 100 us. 1,000 bytes are copied in
// 0.5 us.
TEST(Collective, LateStaticLeaderHoldsItsNodeBack) {
  CollectiveInput input = chain_call(2, 2);
  input.arrivals = {0, 0, 100 * kUs, 0};
  const CollectiveResult result = run_collective(input);
  EXPECT_EQ(result.exits,
            (std::vector<Picoseconds>{105 * kUs, kUs / 2, 105 * kUs, 105 * kUs + kUs / 2}));
  EXPECT_EQ(result.end, 105 * kUs + kUs / 2);
  EXPECT_DOUBLE_EQ(result.excess_mean_ps, (0.5 + 5 + 105.5) / 3 * kUs);
}

TEST(Collective, CompetitiveLeaderDoesNot) {
  CollectiveInput input = chain_call(2, 2);
  input.arrivals = {0, 0, 100 * kUs, 0};
  input.leader = LeaderPolicy::kCompetitive;
  const CollectiveResult result = run_collective(input);
  EXPECT_EQ(result.exits,
            (std::vector<Picoseconds>{5 * kUs, kUs / 2, 100 * kUs + kUs / 2, 5 * kUs}));
  EXPECT_DOUBLE_EQ(result.excess_mean_ps, (0.5 + 0.5 + 5) / 3 * kUs);
}

// Rank 0 waits for the root, its neighbour, and sends to the other node, which is late.
TEST(Collective, WhoWaitsForTheRootSendsForIt) {
  CollectiveInput input = chain_call(2, 2);
  input.root_rank = 1;
  input.arrivals = {0, 10 * kUs, 100 * kUs, 100 * kUs};
  for (const LeaderPolicy policy : {LeaderPolicy::kStatic, LeaderPolicy::kCompetitive}) {
    input.leader = policy;
    input.sender = RootSender::kRoot;
    EXPECT_EQ(
        run_collective(input).exits,
        (std::vector<Picoseconds>{10 * kUs + kUs / 2, 105 * kUs, 105 * kUs, 105 * kUs + kUs / 2}));
    input.sender = RootSender::kNode;
    // The root lays 1,000 bytes down in half a microsecond.
    EXPECT_EQ(
        run_collective(input).exits,
        (std::vector<Picoseconds>{105 * kUs, 10 * kUs + kUs / 2, 105 * kUs, 105 * kUs + kUs / 2}));
    input.arrivals = {10 * kUs, 0, 0, 0};
    EXPECT_EQ(run_collective(input).exits[1], 5 * kUs) << "where nobody waits the root sends";
    input.arrivals = {0, 10 * kUs, 100 * kUs, 100 * kUs};
  }
}

TEST(Collective, WaitingForALateRootIsNoExcess) {
  CollectiveInput input = chain_call(2, 1);
  input.arrivals = {50 * kUs, 0};
  const CollectiveResult result = run_collective(input);
  EXPECT_EQ(result.in_call_max_ps, 55 * kUs);
  EXPECT_DOUBLE_EQ(result.excess_mean_ps, 5.0 * kUs);
}

// Everybody waits for rank 3, the root of a reduction alone.
TEST(Collective, WaitingForTheLastIsNoExcessWhereItIsNeeded) {
  CollectiveInput input = chain_call(4, 1);
  input.arrivals = {0, 0, 0, 100 * kUs};
  input.algorithm = parse_algorithm(Collective::kAllreduce, "ring", input.shape);
  const double together_ps = run_collective(input).excess_mean_ps;
  EXPECT_GT(together_ps, 0);
  EXPECT_LT(together_ps, 50.0 * kUs);
  input.algorithm = parse_algorithm(Collective::kReduce, "chain", input.shape);
  input.root_rank = 3;
  const CollectiveResult reduce = run_collective(input);
  const double at_root_ps = static_cast<double>(reduce.exits[3]) - 100.0 * kUs;
  const double sent_ps = static_cast<double>(reduce.exits[0]) +
                         static_cast<double>(reduce.exits[1]) +
                         static_cast<double>(reduce.exits[2]);
  EXPECT_GT(at_root_ps, 0);
  EXPECT_DOUBLE_EQ(reduce.excess_mean_ps, (at_root_ps + sent_ps) / 4);
}

// Node 0 turns to node 2 when it has waited for node 1 for 10 us.
TEST(Collective, NodesGetPastALateOne) {
  CollectiveInput input = chain_call(3, 1);
  input.arrivals = {0, 100 * kUs, 0};
  EXPECT_EQ(run_collective(input).exits,
            (std::vector<Picoseconds>{105 * kUs, 110 * kUs, 110 * kUs}));
  input.patience = 10 * kUs;
  const CollectiveResult result = run_collective(input);
  EXPECT_EQ(result.exits, (std::vector<Picoseconds>{105 * kUs, 105 * kUs, 15 * kUs}));
  EXPECT_EQ(result.adopted, 1);
}

TEST(Collective, OnlyTreesGetPastLateNodes) {
  CollectiveInput input = chain_call(3, 1);
  input.algorithm = parse_algorithm(kBcast, "ring", input.shape);
  input.patience = 0;
  EXPECT_THROW(run_collective(input), InputError);
}

TEST(Collective, FollowersOfANodeShareItsMemory) {
  // Four followers, 2,000 MB/s together: 2 us for 1,000 bytes.
  const CollectiveResult result = run_collective(chain_call(2, 5));
  EXPECT_EQ(result.exits[1], 2 * kUs);
  EXPECT_EQ(result.exits[9], 7 * kUs);
}

std::uint64_t most_bytes(Collective collective) {
  const bool for_each_rank =
      collective == Collective::kAllgather || collective == Collective::kAlltoall;
  return for_each_rank ? 2'000 : 300'000;
}

// Bytes that must cross links, each over one at least.
std::uint64_t least_traffic(const CollectiveInput& input) {
  const auto nodes = static_cast<std::uint64_t>(input.shape.nodes());
  const auto ranks = static_cast<std::uint64_t>(input.ranks_per_node);
  switch (input.algorithm.collective) {
    case Collective::kAllreduce:
      return 2 * (nodes - 1) * input.bytes;
    case Collective::kAllgather:
      return nodes * (nodes - 1) * ranks * input.bytes;
    case Collective::kAlltoall:
      return nodes * (nodes - 1) * ranks * ranks * input.bytes;
    default:
      return (nodes - 1) * input.bytes;
  }
}

TEST(Collective, AnyRootAnyAlgorithmAnyShape) {
  const unsigned seed = 99;
  SCOPED_TRACE(seed);
  std::mt19937_64 generator(seed);
  const Machine machine = load_machine("k");
  for (const inter::Algorithm& algorithm : inter::algorithms()) {
    for (int trial = 0; trial < 40; ++trial) {
      CollectiveInput input;
      input.machine = machine;
      input.machine.window = 1 + static_cast<int>(generator() % 3);
      for (int axis = 0; axis < 3; ++axis) {
        input.shape.extent[axis] = 1 + static_cast<int>(generator() % 6);
        input.shape.wraps[axis] = generator() % 2 == 0;
      }
      if (!algorithm.supports(input.shape)) continue;
      input.algorithm = algorithm;
      input.bytes = 1 + generator() % most_bytes(algorithm.collective);
      input.segment_bytes = 512 + generator() % 20'000;
      input.ranks_per_node = 1 + static_cast<int>(generator() % 3);
      const int ranks = input.layout().ranks();
      input.root_rank = static_cast<int>(generator() % static_cast<unsigned>(ranks));
      input.leader = generator() % 2 == 0 ? LeaderPolicy::kStatic : LeaderPolicy::kCompetitive;
      input.arrivals = make_arrivals("random", input.layout(), 300 * kUs, generator());
      SCOPED_TRACE(fmt::format("{} on {}, root {}, {} bytes in segments of {}", algorithm.name,
                               format_shape(input.shape), input.root_rank, input.bytes,
                               input.segment_bytes));
      const CollectiveResult result = run_collective(input);
      const Picoseconds root_arrival = input.arrivals[static_cast<std::size_t>(input.root_rank)];
      const Picoseconds last_arrival =
          *std::max_element(input.arrivals.begin(), input.arrivals.end());
      // With six links no node gets more than six times a link's rate.
      const double share_ps = static_cast<double>(input.bytes) / (6 * machine.link_mbps) * 1e6;
      const int root_node = input.root_rank / input.ranks_per_node;
      for (int rank = 0; rank < ranks; ++rank) {
        const Picoseconds exit = result.exits[static_cast<std::size_t>(rank)];
        EXPECT_GE(exit, input.arrivals[static_cast<std::size_t>(rank)]);
        const bool at_root = rank / input.ranks_per_node == root_node;
        if (algorithm.collective == kBcast && !at_root) {
          EXPECT_GE(static_cast<double>(exit), static_cast<double>(root_arrival) + share_ps);
        }
        // A node whose block is empty waits for nobody.
        const bool may_be_empty = algorithm.collective == Collective::kReduceScatter &&
                                  input.bytes < static_cast<std::uint64_t>(input.shape.nodes());
        if (algorithm.collective != kBcast && algorithm.collective != Collective::kReduce &&
            !may_be_empty) {
          EXPECT_GE(exit, last_arrival) << "everybody needs something of everybody";
        }
      }
      EXPECT_GE(result.simulation.links.total_bytes, least_traffic(input));
      const CollectiveResult again = run_collective(input);
      EXPECT_EQ(again.exits, result.exits);
    }
  }
}

// Three ranks a node, the last one at 100 us. Combining 1,000 bytes takes 2 us, a copy 1 us.
TEST(Collective, OtherCollectivesNeedAllRanksOfANode) {
  CollectiveInput input = chain_call(2, 3);
  input.arrivals = {0, 0, 0, 0, 0, 100 * kUs};
  input.algorithm = parse_algorithm(Collective::kReduce, "chain", input.shape);
  const CollectiveResult reduce = run_collective(input);
  EXPECT_EQ(reduce.exits[1], 4 * kUs) << "its two contributions are combined";
  EXPECT_EQ(reduce.exits[4], 104 * kUs);
  EXPECT_EQ(reduce.exits[3], (104 + 5) * kUs) << "the leader of the other node sends";
  EXPECT_EQ(reduce.exits[0], (104 + 5 + 2) * kUs) << "and the root combines";

  input.algorithm = parse_algorithm(Collective::kAllgather, "ring", input.shape);
  const CollectiveResult allgather = run_collective(input);
  // 3,000 bytes each way after one copy, in three segments; then 6,000 bytes are copied.
  EXPECT_EQ(allgather.exits[3], (101 + 3 * 5) * kUs);
  EXPECT_EQ(allgather.exits[4], (101 + 3 * 5 + 6) * kUs);
}

TEST(Collective, WorkCountsAsInThePapers) {
  const Layout layout{8, 4};
  EXPECT_EQ(work_per_byte(kBcast, layout), 1);
  EXPECT_EQ(work_per_byte(Collective::kReduce, layout), 1);
  EXPECT_EQ(work_per_byte(Collective::kAllreduce, layout), 2);
  EXPECT_EQ(work_per_byte(Collective::kAllgather, layout), 32);
  EXPECT_EQ(work_per_byte(Collective::kAlltoall, layout), 28 * 4);
}

TEST(CollectiveErrors, NameWhatAndWhatIsAllowed) {
  const auto expect_error = [](auto change, const std::string& text) {
    CollectiveInput input = chain_call(2, 2);
    change(&input);
    try {
      run_collective(input);
      FAIL() << "no error; expected: " << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()), text);
    }
  };
  expect_error([](CollectiveInput* i) { i->root_rank = 4; }, "root is 4; allowed: 0 to 3");
  expect_error([](CollectiveInput* i) { i->root_rank = -1; }, "root is -1; allowed: 0 to 3");
  expect_error([](CollectiveInput* i) { i->candidates = 3; }, "candidates is 3; allowed: 0 to 2");
  expect_error([](CollectiveInput* i) { i->ranks_per_node = 0; },
               "ranks-per-node is 0; allowed on 2 nodes: 1 to 4096");
  expect_error(
      [](CollectiveInput* i) {
        i->bytes = std::uint64_t{1} << 40;
        i->ranks_per_node = 1024;
        i->algorithm = parse_algorithm(Collective::kAlltoall, "linear", i->shape);
      },
      "bytes is 1T; allowed with alltoall of 2048 ranks: at most 256M");
  expect_error([](CollectiveInput* i) { i->window = -2; }, "window is -2; allowed: 0 to 1048576");
  expect_error(
      [](CollectiveInput* i) {
        i->node_ranks = {3, 1, 1};
      },
      "ranks of 3 nodes given; allowed: 2");
  expect_error(
      [](CollectiveInput* i) {
        i->node_ranks = {3, 0};
      },
      "ranks per node is 0; allowed: 1 to 4096");
  expect_error(
      [](CollectiveInput* i) {
        i->node_ranks = {3, 1};
        i->algorithm = parse_algorithm(Collective::kReduce, "chain", i->shape);
      },
      "ranks of each node are given; allowed: with broadcasts alone");
  expect_error(
      [](CollectiveInput* i) {
        i->arrivals = {1, 2};
      },
      "2 arrivals given; allowed: 4, one per rank");
}

TEST(Sweep, DoesNotDependOnThreads) {
  SweepInput sweep;
  sweep.base = chain_call(6, 4);
  sweep.base.leader = LeaderPolicy::kCompetitive;
  sweep.sizes = {100, 1000, 50'000, 400'000};
  sweep.pattern = "random";
  sweep.skew = 200 * kUs;
  sweep.repetitions = 5;
  sweep.threads = 1;
  const auto alone = sweep_sizes(sweep);
  sweep.threads = 4;
  const auto together = sweep_sizes(sweep);
  ASSERT_EQ(alone.size(), 4u);
  for (std::size_t k = 0; k < alone.size(); ++k) {
    EXPECT_EQ(alone[k].bytes, sweep.sizes[k]);
    EXPECT_EQ(alone[k].time_us, together[k].time_us);
    EXPECT_EQ(alone[k].excess_mean_us, together[k].excess_mean_us);
    EXPECT_EQ(alone[k].transfers, together[k].transfers);
  }
}

// Repetition r of a sweep by seed s is the sweep by seed s + r.
TEST(Sweep, RepetitionsAreAllCounted) {
  constexpr std::uint64_t kSeed = 2;
  SweepInput sweep;
  sweep.base = chain_call(30, 1);
  sweep.base.algorithm = parse_algorithm(kBcast, "binomial", sweep.base.shape);
  sweep.base.patience = 10 * kUs;
  sweep.sizes = {1000};
  sweep.pattern = "random";
  sweep.skew = 300 * kUs;
  SweepPoint mean;
  std::size_t first_links = 0;
  for (sweep.seed = kSeed; sweep.seed < kSeed + 3; ++sweep.seed) {
    const SweepPoint one = sweep_sizes(sweep).front();
    if (sweep.seed == kSeed) first_links = one.links_used;
    mean.time_us += one.time_us / 3;
    mean.mean_link_utilization += one.mean_link_utilization / 3;
    mean.links_used = std::max(mean.links_used, one.links_used);
    mean.peak_link_utilization = std::max(mean.peak_link_utilization, one.peak_link_utilization);
    mean.in_call_max_us = std::max(mean.in_call_max_us, one.in_call_max_us);
  }
  EXPECT_NE(mean.links_used, first_links) << "the first repetition has not the most";
  sweep.seed = kSeed;
  sweep.repetitions = 3;
  const SweepPoint all = sweep_sizes(sweep).front();
  EXPECT_NEAR(all.time_us, mean.time_us, 1e-6);
  EXPECT_NEAR(all.mean_link_utilization, mean.mean_link_utilization, 1e-9);
  EXPECT_EQ(all.links_used, mean.links_used);
  EXPECT_EQ(all.peak_link_utilization, mean.peak_link_utilization);
  EXPECT_NEAR(all.in_call_max_us, mean.in_call_max_us, 1e-6);
}

TEST(Sweep, AnErrorInATaskComesOut) {
  SweepInput sweep;
  sweep.base = chain_call(2, 1);
  sweep.base.root_rank = 7;
  sweep.sizes = {1, 2, 3};
  EXPECT_THROW(sweep_sizes(sweep), InputError);
}

TEST(Fit, RecoversALine) {
  // t = 100 us + M / 4000.
  std::vector<TimedSize> points;
  for (std::uint64_t bytes = 1024; bytes <= 1u << 30; bytes *= 2) {
    points.push_back({bytes, 100 + static_cast<double>(bytes) / 4000});
  }
  const auto fit = fit_throughput(points);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->b_mbps, 4000, 1e-3);
  EXPECT_NEAR(fit->t0_us, 100, 1e-6);
  EXPECT_NEAR(fit->m_half_bytes, 400'000, 0.1);
  const auto both_ways = fit_throughput(points, 2);
  EXPECT_NEAR(both_ways->b_mbps, 8000, 1e-3);
  EXPECT_NEAR(both_ways->m_half_bytes, both_ways->b_mbps * both_ways->t0_us / 2, 0.1);
}

TEST(Fit, NeedsTwoSizes) {
  EXPECT_FALSE(fit_throughput(std::vector<TimedSize>{}));
  EXPECT_FALSE(fit_throughput(std::vector<TimedSize>{{1000, 5.0}}));
  EXPECT_FALSE(fit_throughput(std::vector<TimedSize>{{1000, 5.0}, {1000, 5.0}}));
}

// [K-perf] Bcast 1D: B 4,500 MB/s, t0 2,017 us for its parameters and 384 nodes.
TEST(Model, PipelinedChainOfK) {
  SweepInput sweep;
  sweep.base.machine = load_machine("k_model");
  sweep.base.shape = inter::Shape::line(384);
  sweep.base.algorithm = parse_algorithm(kBcast, "chain", sweep.base.shape);
  sweep.sizes = parse_byte_list("1M..64M", "bytes");
  const auto fit = fit_sweep(sweep, sweep_sizes(sweep));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->b_mbps, 4500, 45);
  EXPECT_NEAR(fit->t0_us, 2017, 20);
}

}  // namespace
}  // namespace mpiactor::sim
