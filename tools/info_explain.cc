#include "tools/info_explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "actor/config/settings.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor::info {

Explanation explain_bcast(const inter::Shape& shape, std::uint64_t bytes,
                          const std::string& algorithm, std::uint64_t segment_bytes,
                          const inter::Tuning& tuning) {
  return {shape, bytes, inter::bcast_candidates(shape, bytes, tuning.link),
          inter::select_bcast(shape, bytes, algorithm, segment_bytes, tuning)};
}

std::string to_text(const Explanation& explanation) {
  std::string text =
      fmt::format("bcast of {} bytes on {} ({} nodes)\n\n{:<14}{:>12}{:>14}  {}\n",
                  explanation.bytes, inter::text_of(explanation.shape), explanation.shape.nodes(),
                  "algorithm", "segment", "predicted us", "note");
  for (const inter::Candidate& candidate : explanation.candidates) {
    text += fmt::format("{:<14}{:>12}{:>14.1f}  {}\n", candidate.algorithm->name,
                        format_bytes(candidate.segment_bytes), candidate.time_us,
                        inter::stream_note(*candidate.algorithm, explanation.shape));
  }
  return text + fmt::format("\nchosen: {}, segment {} ({})\n",
                            explanation.selection.algorithm->name,
                            format_bytes(explanation.selection.segment_bytes),
                            explanation.selection.reason);
}

std::string to_json(const Explanation& explanation) {
  nlohmann::json json;
  json["collective"] = "bcast";
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
  return json.dump(2) + "\n";
}

}  // namespace mpiactor::info
