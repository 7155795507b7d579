#include "sim/contender.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "inter/registry.h"
#include "sim/arguments.h"
#include "sim/collective.h"
#include "sim/library_plan.h"
#include "sim/node_copies.h"

namespace mpiactor::sim {
namespace {

constexpr int kUsualCandidates = 8;
constexpr std::uint64_t kMostLibraryBytes = 1 << 30;
constexpr std::uint64_t kMostPushedBytes = 16 << 10;
constexpr std::uint64_t kAnnouncedEvery = 64;

std::size_t index(int number) { return static_cast<std::size_t>(number); }

void check(const ContenderInput& input) {
  const bool is_held =
      input.contender == Contender::kStatic || input.contender == Contender::kCompetitive;
  const std::uint64_t most_bytes = is_held ? kMostHeldBytes : kMostLibraryBytes;
  if (input.bytes < 1 || input.bytes > most_bytes) {
    throw InputError(fmt::format("size is {}; allowed: 1 to {}", format_bytes(input.bytes),
                                 format_bytes(most_bytes)));
  }
  const auto require = [](bool holds, const char* what, int value, int least, int most) {
    if (!holds) {
      throw InputError(fmt::format("{} is {}; allowed: {} to {}", what, value, least, most));
    }
  };
  const int ranks = input.ranks_per_node;
  require(input.candidates >= 0 && input.candidates <= ranks, "candidates", input.candidates, 0,
          ranks);
}

Machine with_eager_limit(Machine machine, std::uint64_t bytes) {
  machine.eager_bytes_1_hop = bytes;
  machine.eager_bytes_40_hops = bytes;
  return machine;
}

}  // namespace

const char* contender_name(Contender contender) {
  switch (contender) {
    case Contender::kPlain:
      return "plain";
    case Contender::kTwoLevel:
      return "two-level";
    case Contender::kStatic:
      return "static";
    case Contender::kCompetitive:
      return "competitive";
  }
  return "unknown";
}

BroadcastPlayer::BroadcastPlayer(ContenderInput input)
    : input_(std::move(input)),
      layout_(input_.layout()),
      flat_(input_.contender == Contender::kPlain),
      plan_shape_(flat_ ? inter::Shape::line(layout_.ranks()) : input_.shape),
      pushing_(with_eager_limit(input_.machine, kMostHeldBytes)),
      announcing_(with_eager_limit(input_.machine, 0)) {
  check(input_);
  const std::string usual = library_algorithm(input_.bytes, plan_shape_.nodes());
  const std::string name = input_.algorithm.empty() ? usual : input_.algorithm;
  make_plan_ = parse_algorithm(inter::Collective::kBcast, name, input_.shape).make_plan;
  if (flat_ || input_.contender == Contender::kTwoLevel) {
    make_plan_ = [usual](const inter::PlanInput& plan) { return library_plan(usual, plan); };
  }
  if (input_.candidates == 0) input_.candidates = std::min(input_.ranks_per_node, kUsualCandidates);
  if (input_.segment_bytes == 0) input_.segment_bytes = input_.machine.segment_bytes;
  for (int rank = 0; flat_ && rank < layout_.ranks(); ++rank) {
    places_.push_back(static_cast<std::uint32_t>(layout_.node_of(rank)));
  }
}

bool BroadcastPlayer::is_pushed(std::uint64_t number) const {
  return input_.bytes <= kMostPushedBytes && (number + 1) % kAnnouncedEvery != 0;
}

const std::vector<inter::Plan>& BroadcastPlayer::plans_from(int root) {
  std::vector<inter::Plan>& plans = plans_[root];
  if (!plans.empty()) return plans;
  inter::PlanInput plan;
  plan.shape = plan_shape_;
  plan.root_node = root;
  plan.bytes = input_.bytes;
  for (plan.node = 0; plan.node < plan_shape_.nodes(); ++plan.node) {
    plans.push_back(make_plan_(plan));
  }
  return plans;
}

SimulationResult BroadcastPlayer::simulate_plans(const Machine& machine, int root,
                                                 std::span<const Picoseconds> entries,
                                                 std::uint64_t segment_bytes) {
  const std::vector<inter::Plan>& plans = plans_from(root);
  SimulationInput simulation;
  simulation.machine = &machine;
  simulation.shape = plan_shape_;
  simulation.physical = input_.shape;
  simulation.places = places_;
  simulation.segment_bytes = segment_bytes;
  simulation.window = machine.window;
  simulation.arrivals = entries;
  simulation.make_plan = [&plans](int node) { return plans[index(node)]; };
  simulation.keep_taken = !flat_;
  return simulate(simulation);
}

std::vector<Picoseconds> BroadcastPlayer::exits(std::uint64_t number, int root_rank,
                                                std::span<const Picoseconds> entries) {
  switch (input_.contender) {
    case Contender::kPlain:
      return plain_exits(root_rank, entries);
    case Contender::kTwoLevel:
      return two_level_exits(make_call(root_rank, entries));
    default:
      return pipelined_exits(number, make_call(root_rank, entries));
  }
}

std::vector<Picoseconds> BroadcastPlayer::plain_exits(int root_rank,
                                                      std::span<const Picoseconds> entries) {
  return simulate_plans(input_.machine, root_rank, entries, input_.bytes).node_ends;
}

BroadcastPlayer::Call BroadcastPlayer::make_call(int root_rank,
                                                 std::span<const Picoseconds> entries) const {
  const LeaderPolicy policy = input_.contender == Contender::kCompetitive
                                  ? LeaderPolicy::kCompetitive
                                  : LeaderPolicy::kStatic;
  const RootSender sender =
      input_.contender == Contender::kTwoLevel ? RootSender::kRoot : input_.sender;
  Call call;
  call.root_rank = root_rank;
  call.root_node = layout_.node_of(root_rank);
  call.entries = entries;
  call.leaders = elect_leaders(layout_, policy, root_rank, input_.candidates, entries, sender);
  call.node_entries = bcast_entries(input_.machine, layout_, call.leaders, root_rank, input_.bytes);
  return call;
}

std::vector<Picoseconds> BroadcastPlayer::begins_of(const Call& call, int node) const {
  std::vector<Picoseconds> begins;
  for (int rank = layout_.first_rank(node); rank < layout_.first_rank(node + 1); ++rank) {
    begins.push_back(call.entries[index(rank)] + input_.machine.startup_ps);
  }
  return begins;
}

std::vector<Picoseconds> BroadcastPlayer::two_level_exits(const Call& call) {
  const SimulationResult simulation =
      simulate_plans(input_.machine, call.root_node, call.node_entries, input_.bytes);
  std::vector<Picoseconds> exits = simulation.node_ends;
  if (layout_.ranks_per_node == 1) return exits;
  exits.assign(call.entries.size(), 0);
  for (int node = 0; node < layout_.nodes; ++node) {
    const Picoseconds there = simulation.node_ends[index(node)] +
                              time_of(input_.bytes, input_.machine.copy_ps_per_byte(1));
    const int leader = call.leaders.ranks[index(node)] - layout_.first_rank(node);
    std::vector<Picoseconds> begins = begins_of(call, node);
    begins.erase(begins.begin() + leader);
    std::vector<Picoseconds> ends =
        copies_ends(input_.machine, std::vector<TakenSegment>{{there, input_.bytes}}, begins);
    ends.insert(ends.begin() + leader, there);
    std::copy(ends.begin(), ends.end(), exits.begin() + layout_.first_rank(node));
  }
  return exits;
}

std::vector<Picoseconds> BroadcastPlayer::pipelined_exits(std::uint64_t number, const Call& call) {
  const SimulationResult simulation =
      simulate_plans(is_pushed(number) ? pushing_ : announcing_, call.root_node, call.node_entries,
                     input_.segment_bytes);
  std::vector<Picoseconds> exits = simulation.node_ends;
  if (layout_.ranks_per_node == 1) return exits;
  exits.assign(call.entries.size(), 0);
  for (int node = 0; node < layout_.nodes; ++node) {
    const Picoseconds end = simulation.node_ends[index(node)];
    if (node == call.root_node) {
      leave_root_node(call, end, &exits);
    } else {
      leave_node(call, node, end, simulation.taken[index(node)], &exits);
    }
  }
  return exits;
}

std::vector<TakenSegment> BroadcastPlayer::laid_down(Picoseconds from) const {
  std::vector<TakenSegment> pieces;
  for (std::uint64_t done = 0; done < input_.bytes;) {
    const std::uint64_t bytes = std::min(kLaidDownAtOnce, input_.bytes - done);
    done += bytes;
    pieces.push_back({from + time_of(done, input_.machine.copy_ps_per_byte(1)), bytes});
  }
  return pieces;
}

// All but the root copy; who sends stays until that is done.
void BroadcastPlayer::leave_root_node(const Call& call, Picoseconds sent,
                                      std::vector<Picoseconds>* exits) const {
  const std::vector<TakenSegment> pieces = laid_down(call.root_entry() + input_.machine.startup_ps);
  const int first = layout_.first_rank(call.root_node);
  std::vector<Picoseconds> begins = begins_of(call, call.root_node);
  begins.erase(begins.begin() + (call.root_rank - first));
  std::vector<Picoseconds> ends = copies_ends(input_.machine, pieces, begins);
  ends.insert(ends.begin() + (call.root_rank - first), pieces.back().at);
  std::copy(ends.begin(), ends.end(), exits->begin() + first);
  Picoseconds& sender = (*exits)[index(call.leaders.ranks[index(call.root_node)])];
  sender = std::max(sender, sent);
}

// The leader receives into staging, and copies from there like the others.
void BroadcastPlayer::leave_node(const Call& call, int node, Picoseconds plan_end,
                                 std::span<const TakenSegment> taken,
                                 std::vector<Picoseconds>* exits) const {
  const std::vector<Picoseconds> ends = copies_ends(input_.machine, taken, begins_of(call, node));
  std::copy(ends.begin(), ends.end(), exits->begin() + layout_.first_rank(node));
  Picoseconds& leader = (*exits)[index(call.leaders.ranks[index(node)])];
  leader = std::max(leader, plan_end);
}

}  // namespace mpiactor::sim
