#include "tools/info_explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "actor/config/settings.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor::info {
namespace {

// What `bytes` counts.
const char* counted(inter::Collective collective) {
  switch (collective) {
    case inter::Collective::kAllgather:
      return " from each node";
    case inter::Collective::kAlltoall:
      return " from each node to each";
    default:
      return "";
  }
}

std::string push_note(const Explanation& explanation) {
  return fmt::format("pushed up to {} bytes at 1 hop, {} at {} hops (the farthest two nodes)\n",
                     inter::eager_limit_bytes(1), inter::eager_limit_bytes(explanation.most_hops),
                     explanation.most_hops);
}

}  // namespace

Explanation explain(inter::Collective collective, const inter::Shape& shape, std::uint64_t bytes,
                    const std::string& algorithm, std::uint64_t segment_bytes,
                    const inter::Tuning& tuning) {
  return {collective,
          shape,
          bytes,
          inter::candidates(collective, shape, bytes, tuning.link),
          inter::select(collective, shape, bytes, algorithm, segment_bytes, tuning),
          inter::diameter_hops(shape, tuning.link)};
}

std::vector<std::string> explained_collectives() {
  std::vector<std::string> names;
  for (const inter::Collective collective : inter::kTunedCollectives) {
    names.emplace_back(inter::collective_name(collective));
  }
  return names;
}

inter::Collective collective_of(const std::string& name) {
  for (const inter::Collective collective : inter::kTunedCollectives) {
    if (name == inter::collective_name(collective)) return collective;
  }
  throw std::invalid_argument(fmt::format("'{}' is not a collective; allowed: {}", name,
                                          fmt::join(explained_collectives(), ", ")));
}

std::string to_text(const Explanation& explanation) {
  std::string text =
      fmt::format("{} of {} bytes{} on {} ({} nodes)\n\n{:<14}{:>12}{:>14}  {}\n",
                  inter::collective_name(explanation.collective), explanation.bytes,
                  counted(explanation.collective), inter::text_of(explanation.shape),
                  explanation.shape.nodes(), "algorithm", "segment", "predicted us", "note");
  for (const inter::Candidate& candidate : explanation.candidates) {
    text += fmt::format("{:<14}{:>12}{:>14.1f}  {}\n", candidate.algorithm->name,
                        format_bytes(candidate.segment_bytes), candidate.time_us,
                        inter::stream_note(*candidate.algorithm, explanation.shape));
  }
  return text +
         fmt::format("\nchosen: {}, segment {} ({})\n", explanation.selection.algorithm->name,
                     format_bytes(explanation.selection.segment_bytes),
                     explanation.selection.reason) +
         push_note(explanation);
}

std::string to_json(const Explanation& explanation) {
  nlohmann::json json;
  json["collective"] = inter::collective_name(explanation.collective);
  json["shape"] = inter::text_of(explanation.shape);
  json["bytes"] = explanation.bytes;
  json["candidates"] = nlohmann::json::array();
  for (const inter::Candidate& candidate : explanation.candidates) {
    json["candidates"].push_back(
        {{"algorithm", candidate.algorithm->name},
         {"segment_bytes", candidate.segment_bytes},
         {"time_us", candidate.time_us},
         {"note", inter::stream_note(*candidate.algorithm, explanation.shape)}});
  }
  json["choice"] = {{"algorithm", explanation.selection.algorithm->name},
                    {"segment_bytes", explanation.selection.segment_bytes},
                    {"reason", explanation.selection.reason}};
  json["pushed_up_to_bytes"] = {{"1 hop", inter::eager_limit_bytes(1)},
                                {fmt::format("{} hops", explanation.most_hops),
                                 inter::eager_limit_bytes(explanation.most_hops)}};
  return json.dump(2) + "\n";
}

}  // namespace mpiactor::info
