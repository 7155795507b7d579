// Tuning tables.
#include "inter/tuning.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  fuzz::takes<inter::TuningError>([&] {
    const inter::Tuning tuning = inter::Tuning::parse(fuzz::text_of(data, bytes), "table");
    fuzz::require(
        tuning.link.latency_us > 0 && tuning.link.bandwidth_mbps > 0 && tuning.link.reduce_mbps > 0,
        "links have positive numbers");
    for (const inter::Collective collective : inter::kTunedCollectives) {
      for (const int nodes : {1, 4, 100}) {
        const auto* const rule = tuning.find(collective, inter::Shape::line(nodes), 5000);
        fuzz::require(!rule || rule->algorithm->collective == collective, "rules name algorithms");
      }
    }
  });
  return 0;
}
