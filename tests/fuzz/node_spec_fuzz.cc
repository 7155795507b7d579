// MPIACTOR_NODES: the first byte is the number of ranks, the spec follows.
#include <stdexcept>

#include "actor/config/node_spec.h"
#include "tests/fuzz/target.h"

using namespace mpiactor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  const int ranks = data[0] + 1;
  const std::string_view spec = fuzz::text_of(data + 1, bytes - 1);
  const bool well_formed = fuzz::takes<std::invalid_argument>([&] { check_node_spec(spec); });
  fuzz::takes<std::invalid_argument>([&] {
    const std::vector<int> nodes = nodes_of_ranks(spec, ranks);
    fuzz::require(well_formed, "what is malformed fits no number of ranks");
    fuzz::require(nodes.size() == static_cast<std::size_t>(ranks), "a node for every rank");
    for (const int node : nodes) fuzz::require(node >= 0, "nodes are counted from 0");
  });
  return 0;
}
