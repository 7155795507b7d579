#include "inter/calls.h"

#include <algorithm>

namespace mpiactor::inter {
namespace {

struct CallRow {
  const char* name;
  std::optional<Collective> collective;
  unsigned ways;  // that it may go
};

constexpr unsigned bit(Way way) { return 1u << static_cast<unsigned>(way); }

constexpr unsigned kRooted = bit(Way::kLibrary) | bit(Way::kStaging) | bit(Way::kDirect);
constexpr unsigned kExchange = kRooted | bit(Way::kSingleCopy) | bit(Way::kPlan);
// In the order of Call.
constexpr CallRow kCallRows[kCalls] = {
    {"bcast", Collective::kBcast,
     bit(Way::kLibrary) | bit(Way::kStaging) | bit(Way::kSingleCopy) | bit(Way::kPlan)},
    {"reduce", Collective::kReduce, kRooted | bit(Way::kPlan)},
    {"allreduce", Collective::kAllreduce, kRooted | bit(Way::kShares) | bit(Way::kPlan)},
    {"reduce_scatter", Collective::kReduceScatter, kRooted | bit(Way::kShares)},
    {"allgather", Collective::kAllgather, kExchange | bit(Way::kSendBuffers)},
    {"allgatherv", std::nullopt, kExchange | bit(Way::kSendBuffers)},
    {"gather", std::nullopt, kRooted | bit(Way::kSingleCopy)},
    {"gatherv", std::nullopt, kRooted | bit(Way::kSingleCopy)},
    {"scatter", std::nullopt, kRooted | bit(Way::kSingleCopy)},
    {"scatterv", std::nullopt, bit(Way::kLibrary) | bit(Way::kStaging) | bit(Way::kSingleCopy)},
    {"alltoall", Collective::kAlltoall, kExchange},
    {"alltoallv", std::nullopt, kRooted | bit(Way::kSingleCopy)},
};
const CallRow& row_of(Call call) { return kCallRows[static_cast<std::size_t>(call)]; }

}  // namespace

const char* call_name(Call call) { return row_of(call).name; }

std::optional<Call> call_of(std::string_view name) {
  for (const Call call : all_calls()) {
    if (name == call_name(call)) return call;
  }
  return std::nullopt;
}

std::optional<Collective> collective_of(Call call) { return row_of(call).collective; }

Call call_of(Collective collective) {
  constexpr std::array<Call, kCalls> all = all_calls();
  return *std::find_if(all.begin(), all.end(),
                       [&](Call call) { return collective_of(call) == collective; });
}

bool may_go(Call call, Way way) { return (row_of(call).ways & bit(way)) != 0; }

std::vector<std::string> rule_names(Call call) {
  std::vector<std::string> names;
  for (const Way way : kWays) {
    if (may_go(call, way)) names.emplace_back(way_name(way));
  }
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective_of(call)) continue;
    // A way that runs the algorithm of its name.
    const bool is_way = std::find(names.begin(), names.end(), algorithm.name) != names.end();
    if (!is_way) names.emplace_back(algorithm.name);
  }
  return names;
}

const char* way_name(Way way) {
  switch (way) {
    case Way::kLibrary:
      return "library";
    case Way::kStaging:
      return "staging";
    case Way::kSingleCopy:
      return "single_copy";
    case Way::kSendBuffers:
      return "send_buffers";
    case Way::kDirect:
      return "direct";
    case Way::kShares:
      return "shares";
    case Way::kPlan:
      return "auto";
  }
  return "";
}

}  // namespace mpiactor::inter
