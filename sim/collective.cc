#include "sim/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inter/past_late_nodes.h"
#include "sim/arguments.h"
#include "sim/placement.h"

namespace mpiactor::sim {
namespace {

using inter::Collective;

// What a node holds or copies in one call: so that its times can be counted.
constexpr std::uint64_t kMostNodeBytes = std::uint64_t{1} << 50;
constexpr int kMostWindow = 1 << 20;
constexpr int kUsualCandidates = 8;

void require(bool holds, const std::string& what, std::int64_t value, std::int64_t smallest,
             std::int64_t largest) {
  if (!holds) {
    throw InputError(fmt::format("{} is {}; allowed: {} to {}", what, value, smallest, largest));
  }
}

void check_node_ranks(const CollectiveInput& input) {
  if (input.node_ranks.empty()) return;
  if (input.algorithm.collective != Collective::kBcast) {
    throw InputError("ranks of each node are given; allowed: with broadcasts alone");
  }
  if (static_cast<std::int64_t>(input.node_ranks.size()) != input.shape.nodes()) {
    throw InputError(fmt::format("ranks of {} nodes given; allowed: {}", input.node_ranks.size(),
                                 input.shape.nodes()));
  }
  for (const int ranks : input.node_ranks) {
    require(ranks >= 1 && ranks <= kMostRanksPerNode, "ranks per node", ranks, 1,
            kMostRanksPerNode);
  }
}

// All followers of a node copy at once and share what its memory can deliver.
double followers_copy_ps_per_byte(const CollectiveInput& input, const Layout& layout, int node) {
  return input.machine.copy_ps_per_byte(layout.members(node) - 1);
}

// How often `bytes` are in a plan, which knows nodes alone.
std::uint64_t blocks_of_plan(const CollectiveInput& input) {
  const auto ranks = static_cast<std::uint64_t>(input.layout().ranks());
  switch (input.algorithm.collective) {
    case Collective::kAllgather:
      return ranks;
    case Collective::kAlltoall:
      return ranks * ranks;
    default:
      return 1;
  }
}

// What a rank has in the end, which its node's staging holds before.
std::uint64_t result_bytes(const CollectiveInput& input) {
  const auto ranks = static_cast<std::uint64_t>(input.layout().ranks());
  if (input.algorithm.collective == Collective::kReduceScatter) return input.bytes / ranks;
  const bool from_each_rank = input.algorithm.collective == Collective::kAllgather ||
                              input.algorithm.collective == Collective::kAlltoall;
  return input.bytes * (from_each_rank ? ranks : 1);
}

// From the last rank's coming to the start of its node's plan.
Picoseconds gathering(const CollectiveInput& input) {
  const int followers = input.ranks_per_node - 1;
  switch (input.algorithm.collective) {
    case Collective::kBcast:
      return 0;
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kReduceScatter:
      return time_of(input.bytes * static_cast<std::uint64_t>(followers),
                     1e6 / input.machine.reduce_mbps);
    case Collective::kAllgather:
      return time_of(input.bytes, input.machine.copy_ps_per_byte(followers));
    case Collective::kAlltoall:
      return time_of(result_bytes(input), input.machine.copy_ps_per_byte(followers));
  }
  return 0;
}

// When each node's plan may start, but for the machine's start-up.
std::vector<Picoseconds> node_entries(const CollectiveInput& input, const Leaders& leaders,
                                      const std::vector<Picoseconds>& arrivals) {
  if (input.algorithm.collective == Collective::kBcast) {
    return bcast_entries(input.machine, input.layout(), leaders, input.root_rank, input.bytes);
  }
  std::vector<Picoseconds> entries;
  const Picoseconds gather = gathering(input);
  for (auto first = arrivals.begin(); first != arrivals.end(); first += input.ranks_per_node) {
    entries.push_back(*std::max_element(first, first + input.ranks_per_node) + gather);
  }
  return entries;
}

// Who serves whom, where nodes come at `entries`.
inter::ServedPlans find_served(const CollectiveInput& input, const inter::PlanInput& plan,
                               SimulationInput simulation,
                               const std::vector<Picoseconds>& entries) {
  simulation.arrivals = {};
  std::vector<Picoseconds> balanced = simulate(simulation).receive_ends;
  balanced[static_cast<std::size_t>(plan.root_node)] = 0;
  return inter::past_late_nodes(
      input.algorithm, plan,
      {.arrivals = entries, .balanced = balanced, .patience = *input.patience});
}

SimulationResult simulate_nodes(const CollectiveInput& input, const Layout& layout,
                                const std::vector<Picoseconds>& entries, int* adopted) {
  SimulationInput simulation;
  simulation.machine = &input.machine;
  simulation.shape = input.shape;
  if (input.physical) {
    simulation.physical = *input.physical;
    simulation.places = place_nodes(input.shape, *input.physical);
  }
  simulation.segment_bytes =
      input.segment_bytes > 0 ? input.segment_bytes : input.machine.segment_bytes;
  simulation.window = input.window > 0 ? input.window : input.machine.window;
  simulation.arrivals = entries;
  std::vector<double> copying;
  if (input.algorithm.collective == Collective::kBcast && layout.most_members() > 1) {
    for (int node = 0; node < layout.nodes; ++node) {
      copying.push_back(followers_copy_ps_per_byte(input, layout, node));
    }
    simulation.copy_ps_per_byte = copying;
  }
  inter::PlanInput plan;
  plan.shape = input.shape;
  plan.root_node = layout.node_of(input.root_rank);
  plan.bytes = input.bytes * blocks_of_plan(input);
  simulation.make_plan = [&input, plan](int node) mutable {
    plan.node = node;
    return input.algorithm.make_plan(plan);
  };
  if (!input.patience) return simulate(simulation);
  inter::ServedPlans served = find_served(input, plan, simulation, entries);
  *adopted = served.adopted;
  simulation.op_arrivals = served.starts;
  simulation.make_plan = [&served](int node) {
    return std::move(served.plans[static_cast<std::size_t>(node)]);
  };
  return simulate(simulation);
}

// Of a rank that copies from staging. The root's bytes begin to be there when its node's plan may
// start; elsewhere they come segment by segment.
Picoseconds bcast_copied(const CollectiveInput& input, const Layout& layout,
                         const std::vector<Picoseconds>& entries,
                         const SimulationResult& simulation, int node, Picoseconds arrival) {
  const Picoseconds copying = time_of(input.bytes, followers_copy_ps_per_byte(input, layout, node));
  const auto index = static_cast<std::size_t>(node);
  const bool at_root = node == layout.node_of(input.root_rank);
  const Picoseconds for_the_punctual =
      at_root ? entries[index] + input.machine.startup_ps + copying : simulation.copies_ends[index];
  return std::max(arrival + input.machine.startup_ps + copying, for_the_punctual);
}

// On the root's node whoever leads sends. If that is not the root, it copies, too, and the root
// leaves when it has laid its message down.
Picoseconds bcast_exit(const CollectiveInput& input, const Layout& layout, const Leaders& leaders,
                       const std::vector<Picoseconds>& entries, const SimulationResult& simulation,
                       int rank, Picoseconds arrival) {
  const int node = layout.node_of(rank);
  const auto index = static_cast<std::size_t>(node);
  const bool leads = leaders.ranks[index] == rank;
  const bool at_root = node == layout.node_of(input.root_rank);
  if (leads && (!at_root || rank == input.root_rank)) return simulation.node_ends[index];
  if (rank == input.root_rank) {
    return arrival + input.machine.startup_ps +
           time_of(input.bytes, input.machine.copy_ps_per_byte(1));
  }
  const Picoseconds copied = bcast_copied(input, layout, entries, simulation, node, arrival);
  return leads ? std::max(copied, simulation.node_ends[index]) : copied;
}

std::vector<Picoseconds> rank_exits(const CollectiveInput& input, const Layout& layout,
                                    const Leaders& leaders, const std::vector<Picoseconds>& entries,
                                    const std::vector<Picoseconds>& arrivals,
                                    const SimulationResult& simulation) {
  const Picoseconds copying =
      time_of(result_bytes(input), input.machine.copy_ps_per_byte(input.ranks_per_node - 1));
  std::vector<Picoseconds> exits(arrivals.size());
  for (std::size_t rank = 0; rank < exits.size(); ++rank) {
    const auto node = static_cast<std::size_t>(layout.node_of(static_cast<int>(rank)));
    if (input.algorithm.collective == Collective::kBcast) {
      exits[rank] = bcast_exit(input, layout, leaders, entries, simulation, static_cast<int>(rank),
                               arrivals[rank]);
    } else if (leaders.ranks[node] == static_cast<int>(rank)) {
      exits[rank] = simulation.node_ends[node];
    } else if (input.algorithm.collective == Collective::kReduce) {
      exits[rank] = entries[node] + input.machine.startup_ps;
    } else {
      exits[rank] = simulation.node_ends[node] + copying;
    }
  }
  return exits;
}

Direction direction_of(Collective collective) {
  switch (collective) {
    case Collective::kBcast:
      return Direction::kFromRoot;
    case Collective::kReduce:
      return Direction::kToRoot;
    default:
      return Direction::kAmongAll;
  }
}

void summarize(const CollectiveInput& input, const std::vector<Picoseconds>& arrivals,
               CollectiveResult* result) {
  const Direction direction = direction_of(input.algorithm.collective);
  const auto needed = needed_arrivals(direction, input.root_rank, arrivals);
  double in_call_sum = 0;
  double excess_sum = 0;
  int counted = 0;
  for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
    const Picoseconds exit = result->exits[rank];
    const Picoseconds in_call = exit - arrivals[rank];
    result->end = std::max(result->end, exit);
    result->in_call_max_ps = std::max(result->in_call_max_ps, in_call);
    in_call_sum += static_cast<double>(in_call);
    if (direction == Direction::kFromRoot && static_cast<int>(rank) == input.root_rank) continue;
    const Picoseconds begin = std::max(arrivals[rank], needed[rank]);
    excess_sum += static_cast<double>(std::max(exit, begin) - begin);
    ++counted;
  }
  result->in_call_mean_ps = in_call_sum / static_cast<double>(arrivals.size());
  result->excess_mean_ps = counted > 0 ? excess_sum / counted : 0;
}

}  // namespace

Picoseconds time_of(std::uint64_t bytes, double ps_per_byte) {
  return static_cast<Picoseconds>(std::llround(static_cast<double>(bytes) * ps_per_byte));
}

std::vector<Picoseconds> bcast_entries(const Machine& machine, const Layout& layout,
                                       const Leaders& leaders, int root_rank, std::uint64_t bytes) {
  std::vector<Picoseconds> entries = leaders.arrivals;
  const auto root_node = static_cast<std::size_t>(layout.node_of(root_rank));
  if (leaders.ranks[root_node] != root_rank) {
    entries[root_node] += time_of(std::min(bytes, kLaidDownAtOnce), machine.copy_ps_per_byte(1));
  }
  return entries;
}

Layout CollectiveInput::layout() const {
  if (!node_ranks.empty()) return Layout::of(node_ranks);
  return Layout::of(shape.nodes(), ranks_per_node);
}

void check(const CollectiveInput& input) {
  check_node_ranks(input);
  const Layout layout = input.layout();
  const std::int64_t ranks = layout.ranks();
  const int per_node = layout.most_members();
  require(input.root_rank >= 0 && input.root_rank < ranks, "root", input.root_rank, 0, ranks - 1);
  require(input.candidates >= 0 && input.candidates <= per_node, "candidates", input.candidates, 0,
          per_node);
  require(input.window >= 0 && input.window <= kMostWindow, "window", input.window, 0, kMostWindow);
  const std::uint64_t most_bytes =
      kMostNodeBytes / std::max(blocks_of_plan(input), static_cast<std::uint64_t>(per_node));
  if (input.bytes > most_bytes) {
    throw InputError(fmt::format(
        "bytes is {}; allowed with {} of {} ranks: at most {}", format_bytes(input.bytes),
        inter::collective_name(input.algorithm.collective), ranks, format_bytes(most_bytes)));
  }
  if (input.patience && !input.algorithm.is_of_trees) {
    throw InputError(
        fmt::format("patience with late nodes is given with {} of {}; allowed: with "
                    "broadcasts down trees",
                    inter::collective_name(input.algorithm.collective), input.algorithm.name));
  }
  if (!input.algorithm.supports(input.shape)) {
    throw InputError(fmt::format("algorithm {} cannot run on shape {}", input.algorithm.name,
                                 format_shape(input.shape)));
  }
}

CollectiveResult run_collective(const CollectiveInput& input) {
  check(input);
  const Layout layout = input.layout();
  const auto ranks = static_cast<std::size_t>(layout.ranks());
  if (!input.arrivals.empty() && input.arrivals.size() != ranks) {
    throw InputError(
        fmt::format("{} arrivals given; allowed: {}, one per rank", input.arrivals.size(), ranks));
  }
  const int candidates = input.candidates > 0 ? input.candidates : kUsualCandidates;
  std::vector<Picoseconds> arrivals = input.arrivals;
  arrivals.resize(ranks, 0);
  const bool is_bcast = input.algorithm.collective == Collective::kBcast;
  const Leaders leaders = elect_leaders(layout, input.leader, input.root_rank, candidates, arrivals,
                                        is_bcast ? input.sender : RootSender::kRoot);

  CollectiveResult result;
  const std::vector<Picoseconds> entries = node_entries(input, leaders, arrivals);
  result.simulation = simulate_nodes(input, layout, entries, &result.adopted);
  result.exits = rank_exits(input, layout, leaders, entries, arrivals, result.simulation);
  summarize(input, arrivals, &result);
  return result;
}

double work_per_byte(Collective collective, const Layout& layout) {
  switch (collective) {
    case Collective::kBcast:
    case Collective::kReduce:
    case Collective::kReduceScatter:
      return 1;
    case Collective::kAllreduce:
      return 2;
    case Collective::kAllgather:
      return layout.ranks();
    case Collective::kAlltoall:
      return static_cast<double>(layout.ranks() - layout.ranks_per_node) * layout.ranks_per_node;
  }
  return 1;
}

}  // namespace mpiactor::sim
