#include "bench/pingpong/pingpong_options.h"

#include "bench/byte_size.h"
#include "bench/command_line.h"
#include "bench/common_options.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::bench {

ParsedPingPongOptions parse_pingpong_options(int argc, const char* const* argv, int ranks) {
  cli::App app{"Times messages between rank 0 and a rank of another node, there and back.",
               "pingpong"};
  std::string sizes = "8,64,512,4K,32K,256K,2M,16M";
  std::string nodes;
  PingPongOptions options;
  options.cell_ms = 60;
  options.label = "as-launched";
  app.add_option("--sizes", sizes, "Message sizes in bytes, with K, M or G")->capture_default_str();
  app.add_option("--cell-ms", options.cell_ms, "Time for the round trips of one size")
      ->check(cli::Range(0.1, 600000.0))
      ->capture_default_str();
  app.add_option("--nodes", nodes,
                 "Node of each rank: 4 (equal blocks), ppn:2, cyclic:4 or a list; default: the "
                 "machine's")
      ->envname("MPIACTOR_NODES");
  app.add_option("--label", options.label, "Name of the contender")->capture_default_str();
  declare_json(app, options.json_path);
  return parse_command_line<PingPongOptions>(app, argc, argv, [&] {
    options.sizes_bytes = parse_byte_sizes(sizes);
    if (!nodes.empty()) options.nodes = parse_node_layout(nodes, ranks);
    return options;
  });
}

}  // namespace mpiactor::bench
