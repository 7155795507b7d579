// Times of broadcasts: the runtime's engine under SimGrid's SMPI beside this project's simulator.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/arguments.h"
#include "sim/collective.h"
#include "sim/simgrid/smpi_bcast.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::sim {
namespace {

// Above it (for all ranks together) ranks share their memory, and what they receive is not checked.
constexpr std::uint64_t kMostPrivateBytes = 128 << 20;

struct Arguments {
  std::string machine = "sim/simgrid/k_links.json";
  std::string shape = "8x6x8";
  std::vector<std::string> algorithms = {"chain", "trinaryx3", "ring"};
  std::string bytes = "64K,1M,16M";
  std::string segment = "16K";
  int window = 1;
  bool json = false;
};

void declare(cli::App* app, Arguments* arguments) {
  app->add_option("--machine", arguments->machine, "machine file (JSON) that SimGrid can show")
      ->capture_default_str();
  app->add_option("--shape", arguments->shape, "torus")->capture_default_str();
  app->add_option("--algorithm", arguments->algorithms, "broadcast algorithms")
      ->delimiter(',')
      ->capture_default_str();
  app->add_option("--bytes", arguments->bytes, "sizes, as in 64K,1M..4M")->capture_default_str();
  app->add_option("--segment", arguments->segment, "bytes of a segment")->capture_default_str();
  app->add_option("--window", arguments->window, "segments under way per operation")
      ->check(cli::Range(1, kMostWindow))
      ->capture_default_str();
  app->add_flag("--json", arguments->json, "print JSON instead of a table");
}

std::vector<SmpiCase> cases_of(const Arguments& arguments, const inter::Shape& shape) {
  std::vector<SmpiCase> cases;
  for (const std::string& name : arguments.algorithms) {
    const inter::Algorithm& algorithm = parse_algorithm(inter::Collective::kBcast, name, shape);
    for (const std::uint64_t bytes : parse_byte_list(arguments.bytes, "bytes")) {
      cases.push_back({.algorithm = &algorithm,
                       .bytes = bytes,
                       .segment_bytes = parse_bytes(arguments.segment, "segment"),
                       .window = arguments.window});
    }
  }
  return cases;
}

Picoseconds simulated(const Machine& machine, const inter::Shape& shape, const SmpiCase& one) {
  CollectiveInput input;
  input.machine = machine;
  input.shape = shape;
  input.algorithm = *one.algorithm;
  input.bytes = one.bytes;
  input.segment_bytes = one.segment_bytes;
  input.window = one.window;
  return run_collective(input).end;
}

double microseconds(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kPicosecondsPerMicrosecond);
}

void run(const Arguments& arguments) {
  const Machine machine = load_machine(arguments.machine);
  const inter::Shape shape = parse_shape(arguments.shape);
  const std::vector<SmpiCase> cases = cases_of(arguments, shape);
  const std::vector<SmpiResult> results = run_under_smpi(machine, shape, cases, kMostPrivateBytes);
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double smpi_us = microseconds(results[i].end);
    const double sim_us = microseconds(simulated(machine, shape, cases[i]));
    rows.push_back({{"algorithm", cases[i].algorithm->name},
                    {"bytes", cases[i].bytes},
                    {"smpi_us", smpi_us},
                    {"torus_sim_us", sim_us},
                    {"ratio", sim_us / smpi_us},
                    {"checked", results[i].checked}});
  }
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::json{{"results", rows}}.dump(2));
    return;
  }
  fmt::print("{} on shape {}, segments of {}, window {}\n", machine.name, format_shape(shape),
             arguments.segment, arguments.window);
  fmt::print("{:<12} {:>8} {:>14} {:>14} {:>8} {:>8}\n", "algorithm", "bytes", "SMPI us",
             "torus_sim us", "ratio", "checked");
  for (const nlohmann::json& row : rows) {
    fmt::print("{:<12} {:>8} {:>14.3f} {:>14.3f} {:>8.4f} {:>8}\n",
               row["algorithm"].get<std::string>(), format_bytes(row["bytes"]),
               row["smpi_us"].get<double>(), row["torus_sim_us"].get<double>(),
               row["ratio"].get<double>(), row["checked"].get<bool>() ? "yes" : "no");
  }
}

}  // namespace
}  // namespace mpiactor::sim

int main(int argc, char** argv) {
  mpiactor::cli::App app{
      "Times of broadcasts on a torus: the runtime's engine under SimGrid's SMPI, torus_sim, and "
      "the ratio of the second to the first"};
  mpiactor::sim::Arguments arguments;
  mpiactor::sim::declare(&app, &arguments);
  if (const auto status = app.try_parse(argc, argv)) return *status;
  try {
    mpiactor::sim::run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare: {}\n", error.what());
    return 1;
  }
  return 0;
}
