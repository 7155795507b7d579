// A file of coordinates, and where it places the hosts a, b, c and d.
#include <sstream>
#include <string>
#include <vector>

#include "inter/tofu_algos/torus.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  std::istringstream in{std::string(fuzz::text_of(data, bytes))};
  fuzz::takes<inter::TorusError>([&] {
    const inter::CoordinateFile file(in, "file");
    std::vector<std::string> hosts;
    for (const char* host : {"a", "b", "c", "d"}) {
      hosts.emplace_back(host);
      fuzz::takes<inter::TorusError>([&] {
        const inter::TorusView view = file.view_of(hosts);
        fuzz::require(view.shape.nodes() == static_cast<std::int64_t>(hosts.size()),
                      "a position for every host");
        for (std::size_t node = 0; node < hosts.size(); ++node) {
          const int position = view.position_of(static_cast<int>(node));
          fuzz::require(position >= 0 && position < view.shape.nodes() &&
                            view.node_at(position) == static_cast<int>(node),
                        "positions are places");
        }
      });
    }
  });
  return 0;
}
