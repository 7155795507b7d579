// Tuning tables.
#include "inter/rules.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  fuzz::takes<inter::TuningError>([&] {
    const inter::Tuning tuning = inter::Tuning::parse(fuzz::text_of(data, bytes), "table");
    fuzz::require(
        tuning.link.latency_us > 0 && tuning.link.bandwidth_mbps > 0 && tuning.link.reduce_mbps > 0,
        "links have positive numbers");
    for (const inter::Call call : inter::all_calls()) {
      for (const int nodes : {1, 4, 100}) {
        const inter::Rule rule =
            inter::find_rule(tuning, call, inter::Shape::line(nodes), {.members = 3}, 5000, ~0u);
        fuzz::require(!rule.algorithm || rule.algorithm->collective == inter::collective_of(call),
                      "rules name algorithms");
        fuzz::require(rule.line > 0, "rules have lines");
      }
    }
  });
  return 0;
}
