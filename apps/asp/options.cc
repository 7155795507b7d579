#include "apps/asp/options.h"

#include <limits>
#include <string>

#include "apps/asp/random_graph.h"
#include "apps/asp/relax.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::asp {
namespace {

// Throws what parsing throws.
void check_asleep(const Options& options) {
  const auto refuse = [&](bool is_given, const std::string& option, const std::string& why) {
    apps::refuse_with_asleep(options.computing, is_given, option, why);
  };
  refuse(options.verify_sources > 0, "--verify", "no distances are computed");
  refuse(!options.out_file.empty(), "--out", "no distances are computed");
  refuse(options.threads > 1, "--threads above 1", "what is measured is one thread's time");
  refuse(options.batch > 1, "--batch above 1", "what is measured is relaxing by one row");
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  cli::App app(
      "All-pairs shortest paths by Floyd-Warshall over MPI ranks: block rows, the owner of row k "
      "broadcasts it.",
      "asp");

  auto input = app.add_option_group("input", "the graph: exactly one of");
  input.add_option("--graph", options.graph_file,
                   "graph file: DIMACS shortest paths (.gr) or Matrix Market coordinate (.mtx)");
  input.add_option("--random", options.random_vertices, "random road network of N crossings")
      ->check(cli::Range(std::int32_t{1}, kMostRandomVertices))
      ->type_name("N");
  input.require_option(1);

  app.add_option("--seed", options.seed,
                 "seed of --random, of the sources of --verify and of --computing asleep")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads of each rank")
      ->check(cli::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--batch", options.batch,
                 "relax by so many broadcast rows at once (1: the classic order)")
      ->check(cli::Range(std::int32_t{1}, kMostPivots))
      ->capture_default_str();
  apps::add_computing(app, options.computing);
  app.add_option("--verify", options.verify_sources, "check K random sources against Dijkstra")
      ->check(cli::Range(std::int32_t{1}, std::numeric_limits<std::int32_t>::max()))
      ->type_name("K");
  app.add_option("--out", options.out_file, "write the distance matrix to this file");
  apps::add_outputs(app, options.json_file, options.progress);
  const apps::Parsing parsing = apps::parse(app, argc, argv, [&] {
    apps::check_computing(app, options.computing);
    check_asleep(options);
  });
  return {parsing, options};
}

}  // namespace mpiactor::asp
