#include "sim/replay_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "inter/shown.h"
#include "sim/left_out.h"

namespace mpiactor::sim {
namespace {

constexpr int kUsualCandidates = 8;
constexpr std::int64_t kMostNodes = 1 << 20;

// A plan's bytes: a count of them fits well into 64 bits, and a mistake is seen.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

ReplayedCall::Policy replay_under(LeaderPolicy policy, const Machine& machine, int candidates,
                                  const RecordedCall& call) {
  PlayedCall played = play(machine, call, policy, candidates);
  ReplayedCall::Policy result{.algorithm = std::move(played.algorithm),
                              .segment_bytes = played.segment_bytes,
                              .excess_us = {}};
  const std::vector<Picoseconds> needed =
      needed_arrivals(direction_of(call.operation), call.root_rank, call.arrivals);
  for (std::size_t rank = 0; rank < call.arrivals.size(); ++rank) {
    const Picoseconds begin = std::max(call.arrivals[rank], needed[rank]);
    const Picoseconds exit = std::max(played.exits[rank], begin);
    result.excess_us.push_back(static_cast<double>(exit - begin) / kPicosecondsPerMicrosecond);
  }
  return result;
}

std::int64_t number(const nlohmann::json& object, const char* field, std::int64_t least,
                    std::int64_t most) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_number_integer()) {
    throw InputError(fmt::format("{} is missing or no whole number", field));
  }
  const auto value = found->get<std::int64_t>();
  if (value < least || value > most) {
    throw InputError(fmt::format("{} is {}; allowed: {} to {}", field, value, least, most));
  }
  return value;
}

std::string text(const nlohmann::json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) {
    throw InputError(fmt::format("{} is missing or no text", field));
  }
  return found->get<std::string>();
}

bool flag(const nlohmann::json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end()) return false;
  if (!found->is_boolean()) throw InputError(fmt::format("{} is neither true nor false", field));
  return found->get<bool>();
}

std::vector<int> read_node_ranks(const nlohmann::json& object) {
  const auto found = object.find("node_ranks");
  if (found == object.end()) {
    const auto nodes = static_cast<std::size_t>(number(object, "nodes", 1, kMostNodes));
    return std::vector<int>(
        nodes, static_cast<int>(number(object, "ranks_per_node", 1, kMostRanksPerNode)));
  }
  if (object.contains("nodes") || object.contains("ranks_per_node")) {
    throw InputError("both node_ranks and nodes, ranks_per_node; allowed: either");
  }
  if (!found->is_array() || found->empty() ||
      found->size() > static_cast<std::size_t>(kMostNodes)) {
    throw InputError(fmt::format("node_ranks is no list of 1 to {} numbers", kMostNodes));
  }
  std::vector<int> ranks;
  for (const nlohmann::json& value : *found) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
        value.get<std::int64_t>() > kMostRanksPerNode) {
      throw InputError(fmt::format("node_ranks holds {}; allowed: whole numbers from 1 to {}",
                                   inter::shown(value), kMostRanksPerNode));
    }
    ranks.push_back(value.get<int>());
  }
  return ranks;
}

std::vector<Picoseconds> read_arrivals(const nlohmann::json& object, std::int64_t ranks) {
  const auto found = object.find("arrivals_ns");
  if (found == object.end() || !found->is_array()) {
    throw InputError("arrivals_ns is missing or no list");
  }
  if (found->size() != static_cast<std::size_t>(ranks)) {
    throw InputError(fmt::format("arrivals_ns has {} numbers; allowed: {}, one for each rank",
                                 found->size(), ranks));
  }
  std::vector<Picoseconds> arrivals;
  for (const nlohmann::json& arrival : *found) {
    if (!arrival.is_number_integer() || arrival.get<std::int64_t>() < 0) {
      throw InputError(fmt::format("arrivals_ns holds {}; allowed: whole numbers from 0",
                                   inter::shown(arrival)));
    }
    arrivals.push_back(arrival.get<Picoseconds>() * kPicosecondsPerNanosecond);
  }
  return arrivals;
}

// So that what all ranks have in all can be counted.
std::int64_t most_bytes(RecordedOperation operation, std::int64_t ranks) {
  switch (operation) {
    case RecordedOperation::kBarrier:
    case RecordedOperation::kBcast:
    case RecordedOperation::kReduce:
    case RecordedOperation::kAllreduce:
    case RecordedOperation::kReduceScatter:
    case RecordedOperation::kReduceScatterBlock:
      return kMostBytes;
    case RecordedOperation::kAlltoall:
      return std::max<std::int64_t>(kMostBytes / ranks / ranks, 1);
    default:
      return std::max<std::int64_t>(kMostBytes / ranks, 1);
  }
}

std::vector<std::uint64_t> read_blocks(const nlohmann::json& object, std::int64_t ranks,
                                       std::int64_t most) {
  const auto found = object.find("blocks");
  if (found == object.end() || !found->is_array() ||
      found->size() != static_cast<std::size_t>(ranks)) {
    throw InputError(fmt::format("blocks is no list of {} numbers, one for each rank", ranks));
  }
  std::vector<std::uint64_t> blocks;
  for (const nlohmann::json& block : *found) {
    if (!block.is_number_integer() || block.get<std::int64_t>() < 0 ||
        block.get<std::int64_t>() > most) {
      throw InputError(fmt::format("blocks holds {}; allowed: whole numbers from 0 to {}",
                                   inter::shown(block), most));
    }
    blocks.push_back(block.get<std::uint64_t>());
  }
  return blocks;
}

RecordedCall read_call(const nlohmann::json& object) {
  RecordedCall call;
  if (object.contains("operation")) {
    call.operation = operation_named(text(object, "operation"));
  }
  call.node_ranks = read_node_ranks(object);
  const std::int64_t ranks =
      std::accumulate(call.node_ranks.begin(), call.node_ranks.end(), std::int64_t{0});
  if (has_root(call.operation)) {
    call.root_rank = static_cast<int>(number(object, "root", 0, ranks - 1));
  }
  if (has_blocks(call.operation)) {
    call.blocks = read_blocks(object, ranks, most_bytes(call.operation, ranks));
  } else {
    call.bytes =
        static_cast<std::uint64_t>(number(object, "bytes", 0, most_bytes(call.operation, ranks)));
  }
  call.algorithm = text(object, "algorithm");
  if (object.contains("leader")) call.leader_setting = text(object, "leader");
  call.was_hybrid = flag(object, "hybrid");
  call.arrivals = read_arrivals(object, ranks);
  return call;
}

nlohmann::ordered_json parameters_of(const Machine& machine) {
  const auto us = [](Picoseconds time) { return static_cast<double>(time) / 1e6; };
  return {{"name", machine.name},
          {"description", machine.description},
          {"latency_us", us(machine.latency_ps(1))},
          {"link_mbps", machine.link_mbps},
          {"rendezvous_us", us(machine.rendezvous_ps)},
          {"startup_us", us(machine.startup_ps)},
          {"pushed_up_to_bytes", machine.eager_bytes_1_hop},
          {"copy_mbps", machine.copy_mbps},
          {"memory_mbps", machine.memory_mbps},
          {"window", machine.window}};
}

nlohmann::ordered_json json_of(const ReplayedCall::Policy& policy) {
  return {{"algorithm", policy.algorithm},
          {"segment_bytes", policy.segment_bytes},
          {"excess_us", policy.excess_us}};
}

// Says where in the input a mistake is.
template <typename Work>
auto in(const std::string& where, Work work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", where, error.what()));
  }
}

nlohmann::ordered_json answer(const nlohmann::json& question, const Machine& machine,
                              int candidates) {
  const RecordedCall call = read_call(question);
  if (const LeftOut* const why = left_out(call)) return {{"left_out", why->reason}};
  const ReplayedCall replayed = replay(machine, candidates, call);
  return {{"static", json_of(replayed.of_static)},
          {"competitive", json_of(replayed.of_competitive)}};
}

}  // namespace

ReplayedCall replay(const Machine& machine, int candidates, const RecordedCall& call) {
  const int most = candidates > 0 ? candidates : kUsualCandidates;
  return {.of_static = replay_under(LeaderPolicy::kStatic, machine, most, call),
          .of_competitive = replay_under(LeaderPolicy::kCompetitive, machine, most, call)};
}

nlohmann::ordered_json replay_document(const nlohmann::json& document) {
  if (!document.is_object()) throw InputError("the input is no JSON object");
  const Machine machine = load_machine(in("input", [&] { return text(document, "machine"); }));
  const int candidates = in("input", [&] {
    return document.contains("candidates")
               ? static_cast<int>(number(document, "candidates", 0, kMostRanksPerNode))
               : 0;
  });
  const auto calls = document.find("calls");
  if (calls == document.end() || !calls->is_array()) {
    throw InputError("input: calls is missing or no list");
  }
  nlohmann::ordered_json result = {{"machine", parameters_of(machine)},
                                   {"candidates", candidates > 0 ? candidates : kUsualCandidates},
                                   {"calls", nlohmann::ordered_json::array()}};
  for (const LeftOut& why : left_out_reasons()) result["reasons"][why.reason] = why.text;
  for (std::size_t i = 0; i < calls->size(); ++i) {
    result["calls"].push_back(
        in(fmt::format("call {}", i), [&] { return answer((*calls)[i], machine, candidates); }));
  }
  return result;
}

}  // namespace mpiactor::sim
