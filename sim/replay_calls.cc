#include "sim/replay_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "inter/select.h"
#include "sim/collective.h"

namespace mpiactor::sim {
namespace {

constexpr int kUsualCandidates = 8;
constexpr std::int64_t kMostNodes = 1 << 20;
constexpr std::int64_t kMostRanksPerNode = 4096;

std::vector<double> excesses_us(const CollectiveInput& call) {
  const CollectiveResult result = run_collective(call);
  const Picoseconds root = call.arrivals[static_cast<std::size_t>(call.root_rank)];
  std::vector<double> excesses;
  for (std::size_t rank = 0; rank < call.arrivals.size(); ++rank) {
    const Picoseconds begin = std::max(call.arrivals[rank], root);
    const Picoseconds exit = std::max(result.exits[rank], begin);
    excesses.push_back(static_cast<double>(exit - begin) / kPicosecondsPerMicrosecond);
  }
  return excesses;
}

std::int64_t number(const nlohmann::json& object, const char* field, const std::string& where,
                    std::int64_t least, std::int64_t most) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_number_integer()) {
    throw InputError(fmt::format("{}: {} is missing or no whole number", where, field));
  }
  const auto value = found->get<std::int64_t>();
  if (value < least || value > most) {
    throw InputError(
        fmt::format("{}: {} is {}; allowed: {} to {}", where, field, value, least, most));
  }
  return value;
}

std::string text(const nlohmann::json& object, const char* field, const std::string& where) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) {
    throw InputError(fmt::format("{}: {} is missing or no text", where, field));
  }
  return found->get<std::string>();
}

RecordedCall read_call(const nlohmann::json& object, const std::string& where) {
  RecordedCall call;
  call.nodes = static_cast<int>(number(object, "nodes", where, 1, kMostNodes));
  call.ranks_per_node =
      static_cast<int>(number(object, "ranks_per_node", where, 1, kMostRanksPerNode));
  const std::int64_t ranks = std::int64_t{call.nodes} * call.ranks_per_node;
  call.root_rank = static_cast<int>(number(object, "root", where, 0, ranks - 1));
  call.bytes = static_cast<std::uint64_t>(number(object, "bytes", where, 1, std::int64_t{1} << 40));
  call.algorithm = text(object, "algorithm", where);
  const auto arrivals = object.find("arrivals_ns");
  if (arrivals == object.end() || !arrivals->is_array() ||
      arrivals->size() != static_cast<std::size_t>(ranks)) {
    throw InputError(fmt::format("{}: arrivals_ns is no list of {} numbers", where, ranks));
  }
  for (const nlohmann::json& arrival : *arrivals) {
    if (!arrival.is_number_integer() || arrival.get<std::int64_t>() < 0) {
      throw InputError(fmt::format("{}: arrivals_ns holds {}; allowed: whole numbers from 0", where,
                                   arrival.dump()));
    }
    call.arrivals.push_back(arrival.get<Picoseconds>() * kPicosecondsPerNanosecond);
  }
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

}  // namespace

ReplayedCall replay(const Machine& machine, int candidates, const RecordedCall& recorded) {
  CollectiveInput call;
  call.machine = machine;
  call.shape = inter::Shape::line(recorded.nodes);
  inter::Selection selection;
  if (recorded.algorithm != "auto" &&
      !inter::find_algorithm(inter::Collective::kBcast, recorded.algorithm)) {
    throw InputError(fmt::format("algorithm is '{}'; allowed: auto, {}", recorded.algorithm,
                                 inter::algorithm_names(inter::Collective::kBcast, ", ")));
  }
  selection = inter::select_bcast(call.shape, recorded.bytes, recorded.algorithm, 0, {});
  call.algorithm = *selection.algorithm;
  call.segment_bytes = selection.segment_bytes;
  call.bytes = recorded.bytes;
  call.root_rank = recorded.root_rank;
  call.ranks_per_node = recorded.ranks_per_node;
  call.candidates = std::min(candidates > 0 ? candidates : kUsualCandidates, call.ranks_per_node);
  call.arrivals = recorded.arrivals;
  ReplayedCall replayed{.algorithm = call.algorithm.name,
                        .segment_bytes = call.segment_bytes,
                        .static_excess_us = {},
                        .competitive_excess_us = {}};
  call.leader = LeaderPolicy::kStatic;
  replayed.static_excess_us = excesses_us(call);
  call.leader = LeaderPolicy::kCompetitive;
  replayed.competitive_excess_us = excesses_us(call);
  return replayed;
}

nlohmann::ordered_json replay_document(const nlohmann::json& document) {
  if (!document.is_object()) throw InputError("the input is no JSON object");
  const Machine machine = load_machine(text(document, "machine", "input"));
  const int candidates =
      document.contains("candidates")
          ? static_cast<int>(number(document, "candidates", "input", 0, kMostRanksPerNode))
          : 0;
  const auto calls = document.find("calls");
  if (calls == document.end() || !calls->is_array()) {
    throw InputError("input: calls is missing or no list");
  }
  nlohmann::ordered_json result = {{"machine", parameters_of(machine)},
                                   {"candidates", candidates > 0 ? candidates : kUsualCandidates},
                                   {"calls", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < calls->size(); ++i) {
    const RecordedCall call = read_call((*calls)[i], fmt::format("call {}", i));
    const ReplayedCall replayed = replay(machine, candidates, call);
    result["calls"].push_back({{"algorithm", replayed.algorithm},
                               {"segment_bytes", replayed.segment_bytes},
                               {"static_excess_us", replayed.static_excess_us},
                               {"competitive_excess_us", replayed.competitive_excess_us}});
  }
  return result;
}

}  // namespace mpiactor::sim
