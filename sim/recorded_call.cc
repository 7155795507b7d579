#include "sim/recorded_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "inter/rules.h"
#include "inter/select.h"
#include "inter/ways.h"
#include "sim/calls_between_nodes.h"
#include "sim/collective.h"

namespace mpiactor::sim {
namespace {

using enum RecordedOperation;

struct OperationRow {
  const char* name;
  RecordedOperation operation;
  inter::Call call;  // whose rules hold for it
};
constexpr OperationRow kOperations[] = {
    {"MPI_Barrier", kBarrier, inter::Call::kAllreduce},
    {"MPI_Bcast", kBcast, inter::Call::kBcast},
    {"MPI_Reduce", kReduce, inter::Call::kReduce},
    {"MPI_Allreduce", kAllreduce, inter::Call::kAllreduce},
    {"MPI_Reduce_scatter", kReduceScatter, inter::Call::kReduceScatter},
    {"MPI_Reduce_scatter_block", kReduceScatterBlock, inter::Call::kReduceScatter},
    {"MPI_Allgather", kAllgather, inter::Call::kAllgather},
    {"MPI_Allgatherv", kAllgatherv, inter::Call::kAllgatherv},
    {"MPI_Gather", kGather, inter::Call::kGather},
    {"MPI_Gatherv", kGatherv, inter::Call::kGatherv},
    {"MPI_Scatter", kScatter, inter::Call::kScatter},
    {"MPI_Scatterv", kScatterv, inter::Call::kScatterv},
    {"MPI_Alltoall", kAlltoall, inter::Call::kAlltoall},
    {"MPI_Alltoallv", kAlltoallv, inter::Call::kAlltoallv},
};

PlayedCall play_bcast(const Machine& machine, const RecordedCall& recorded, LeaderPolicy policy,
                      int candidates) {
  const bool chosen = recorded.algorithm != "auto";
  if (chosen && !inter::find_algorithm(inter::Collective::kBcast, recorded.algorithm)) {
    throw InputError(fmt::format("algorithm is '{}'; allowed: auto, {}", recorded.algorithm,
                                 inter::algorithm_names(inter::Collective::kBcast, ", ")));
  }
  CollectiveInput call;
  call.machine = machine;
  call.shape = inter::Shape::line(static_cast<int>(recorded.node_ranks.size()));
  const inter::Selection selection =
      inter::select_bcast(call.shape, recorded.bytes, recorded.algorithm, 0, {});
  call.algorithm = *selection.algorithm;
  call.segment_bytes = selection.segment_bytes;
  call.bytes = recorded.bytes;
  call.root_rank = recorded.root_rank;
  call.node_ranks = recorded.node_ranks;
  call.leader = policy;
  call.sender = RootSender::kNode;
  call.candidates = std::min(candidates, recorded.layout().most_members());
  call.arrivals = recorded.arrivals;
  return {.algorithm = call.algorithm.name,
          .segment_bytes = call.segment_bytes,
          .exits = run_collective(call).exits};
}

}  // namespace

inter::Way way_of(const RecordedCall& call, bool may_pass) {
  const Layout nodes = call.layout();
  inter::Layout layout;
  layout.members = nodes.most_members();
  layout.ranks = static_cast<std::uint64_t>(nodes.ranks());
  unsigned can = inter::abilities_of({.competes = true}, call.bytes);
  if (may_pass) can |= inter::kMayPass;
  const auto row = std::find_if(std::begin(kOperations), std::end(kOperations),
                                [&](const auto& each) { return each.operation == call.operation; });
  return inter::find_rule({}, row->call, inter::Shape::line(nodes.nodes), layout,
                          call.operation == kBarrier ? 1 : call.bytes, can)
      .way;
}

RecordedOperation operation_named(const std::string& name) {
  for (const OperationRow& row : kOperations) {
    if (name == row.name) return row.operation;
  }
  return kOther;
}

Direction direction_of(RecordedOperation operation) {
  switch (operation) {
    case kBcast:
    case kScatter:
    case kScatterv:
      return Direction::kFromRoot;
    case kReduce:
    case kGather:
    case kGatherv:
      return Direction::kToRoot;
    default:
      return Direction::kAmongAll;
  }
}

bool has_root(RecordedOperation operation) {
  return direction_of(operation) != Direction::kAmongAll;
}

bool has_blocks(RecordedOperation operation) {
  return operation == kAllgatherv || operation == kGatherv || operation == kScatterv;
}

PlayedCall play(const Machine& machine, const RecordedCall& call, LeaderPolicy policy,
                int candidates) {
  switch (call.operation) {
    case kBcast:
      return play_bcast(machine, call, policy, candidates);
    case kScatter:
      return play_scatter(machine, call, policy, candidates);
    case kGather:
    case kReduce:
      return play_to_root(machine, call, policy);
    case kAllgather:
    case kAllgatherv:
    case kAlltoall:
    case kBarrier:
    case kAllreduce:
    case kReduceScatterBlock:
      return play_without_root(machine, call, policy);
    case kGatherv:
      return play_gatherv(machine, call, policy);
    default:
      throw std::logic_error("a call that is left out cannot be played");
  }
}

LastRank last_of_node(const RecordedCall& call, const Layout& layout, int node) {
  LastRank last{layout.first_rank(node), 0};
  for (int rank = last.rank; rank < layout.first_rank(node + 1); ++rank) {
    const Picoseconds arrival = call.arrivals[static_cast<std::size_t>(rank)];
    if (arrival >= last.arrival) last = {rank, arrival};
  }
  return last;
}

Picoseconds leader_waits_until(const RecordedCall& call, const Layout& layout, int node) {
  return call.arrivals[static_cast<std::size_t>(layout.first_rank(node))] +
         inter::kLeaderPatienceUs * kPicosecondsPerMicrosecond;
}

Picoseconds laid_down(const Machine& machine, const RecordedCall& call, const Layout& layout,
                      int node) {
  Picoseconds until = 0;
  for (int rank = layout.first_rank(node); rank < layout.first_rank(node + 1); ++rank) {
    until = std::max(until, call.arrivals[static_cast<std::size_t>(rank)] +
                                time_of(call.block(rank), machine.copy_ps_per_byte(1)));
  }
  return until;
}

inter::Selection select_plan(const RecordedCall& call, inter::Collective collective,
                             std::uint64_t bytes) {
  const bool chosen = call.algorithm != "auto" && call.algorithm != "direct";
  if (chosen && !inter::find_algorithm(collective, call.algorithm)) {
    throw InputError(fmt::format("algorithm is '{}'; allowed: auto, direct, {}", call.algorithm,
                                 inter::algorithm_names(collective, ", ")));
  }
  return inter::select(collective, inter::Shape::line(static_cast<int>(call.node_ranks.size())),
                       bytes, chosen ? call.algorithm : "auto", 0, {});
}

SimulationResult simulate_nodes(const Machine& machine, const Layout& layout,
                                const NodesInput& nodes) {
  SimulationInput input;
  input.machine = &machine;
  input.shape = inter::Shape::line(layout.nodes);
  input.segment_bytes = nodes.segment_bytes;
  input.window = machine.window;
  input.arrivals = nodes.entries;
  input.send_arrivals = nodes.send_entries;
  input.make_plan = nodes.make_plan;
  return simulate(input);
}

}  // namespace mpiactor::sim
