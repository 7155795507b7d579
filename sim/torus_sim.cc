// torus_sim: times of collectives on modelled machines.
#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/printing.h"
#include "sim/arguments.h"
#include "sim/closed_loop_command.h"
#include "sim/json_file.h"
#include "sim/machine.h"
#include "sim/plot.h"
#include "sim/sweep.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::sim {
namespace {

constexpr int kMostThreads = 4096;
constexpr double kMostUs = 1e9;  // that ranks or nodes are late

struct Arguments {
  std::string machine = "generic";
  std::string shape = "8x6x8";
  std::string physical;
  std::string collective = "bcast";
  std::vector<std::string> algorithms;
  std::string segment;
  std::string bytes = "1K..16M";
  int window = 0;
  int root = 0;
  int ranks_per_node = 1;
  std::string leader = "static";
  std::string sender = "node";
  int candidates = 0;
  std::string pattern = "together";
  double skew_us = 0;
  std::optional<double> patience_us;
  std::uint64_t seed = 1;
  int repetitions = 1;
  int threads = 0;
  std::string json_file;
  std::string plot_file;
  ClosedLoopArguments closed_loop;
};

void declare(cli::App* app, Arguments* arguments) {
  app->add_option("--machine", arguments->machine,
                  fmt::format("{}, or a path to a .json file", fmt::join(machine_names(), ", ")))
      ->capture_default_str();
  app->add_option("--shape", arguments->shape, "nodes as X, XxY or XxYxZ; 8m: no wrap-around")
      ->capture_default_str();
  app->add_option("--physical", arguments->physical,
                  "torus under the shape, 8x8x6 under 64x6; default: the shape itself");
  app->add_option("--collective", arguments->collective,
                  "bcast, reduce, allreduce, allgather or alltoall")
      ->capture_default_str();
  app->add_option("--algorithm", arguments->algorithms, "one or several, or 'all' that can run")
      ->delimiter(',');
  app->add_option("--segment", arguments->segment, "segment size, 16K; default: the machine's");
  app->add_option("--bytes", arguments->bytes,
                  "message sizes: 1K,64K or 1K..1G; allgather: of a rank, alltoall: to a rank")
      ->capture_default_str();
  app->add_option("--window", arguments->window,
                  "outstanding segments per operation; default: the machine's")
      ->check(cli::Range(1, std::numeric_limits<int>::max()));
  app->add_option("--root", arguments->root, "root rank")->capture_default_str();
  app->add_option("--ranks-per-node", arguments->ranks_per_node)->capture_default_str();
  app->add_option("--leader", arguments->leader, "static or competitive")->capture_default_str();
  app->add_option(
         "--sender", arguments->sender,
         "of a broadcast, who sends for the root: root, or node: its node's leader if that "
         "is there before it")
      ->capture_default_str();
  app->add_option("--candidates", arguments->candidates,
                  "ranks of a node that may lead; default: up to 8");
  app->add_option("--pattern", arguments->pattern, fmt::format("arrivals: {}", kArrivalPatterns))
      ->capture_default_str();
  app->add_option("--skew-us", arguments->skew_us, "largest arrival time");
  app->add_option("--patience-us", arguments->patience_us,
                  "broadcasts down trees get past late nodes: a node that has the message waits so "
                  "long for a late one before it serves those below; default: they wait for it");
  app->add_option("--seed", arguments->seed, "of drawn arrivals")->capture_default_str();
  app->add_option(
         "--reps", arguments->repetitions,
         "repetitions with new arrivals; transfers and mean use are means as times are, links "
         "used and peak use the most of any repetition")
      ->capture_default_str()
      ->check(cli::Range(1, std::numeric_limits<int>::max()));
  app->add_option("--threads", arguments->threads, "cores for the sweep; 0: all")
      ->check(cli::Range(0, kMostThreads));
  app->add_flag("--json{-}", arguments->json_file, "print JSON, to standard output or --json=FILE");
  app->add_option("--plot", arguments->plot_file, "draw throughput over size as SVG");
  declare_closed_loop(app, &arguments->closed_loop);
  for (const char* other : {"--physical", "--collective", "--bytes", "--window", "--root",
                            "--leader", "--pattern", "--skew-us", "--patience-us", "--reps"}) {
    app->get_option("--closed-loop")->excludes(app->get_option(other));
  }
}

// A closed loop has a machine of its own where none is named, that of [CP], and an algorithm.
void complete(const cli::App& app, Arguments* arguments) {
  const auto is_given = [&app](const char* option) { return app.get_option(option)->count() > 0; };
  if (arguments->closed_loop.application.empty()) {
    if (!is_given("--algorithm")) throw cli::RequiredError("--algorithm");
    return;
  }
  if (!is_given("--machine")) arguments->machine = "ddr_infiniband";
  if (!is_given("--shape")) arguments->shape = "16";
  if (!is_given("--ranks-per-node")) arguments->ranks_per_node = 8;
}

void run_loop(const Arguments& arguments) {
  run_closed_loop_command(arguments.closed_loop, {.machine = arguments.machine,
                                                  .shape = arguments.shape,
                                                  .ranks_per_node = arguments.ranks_per_node,
                                                  .algorithms = arguments.algorithms,
                                                  .segment = arguments.segment,
                                                  .sender = parse_root_sender(arguments.sender),
                                                  .candidates = arguments.candidates,
                                                  .seed = arguments.seed,
                                                  .threads = arguments.threads,
                                                  .json_file = arguments.json_file,
                                                  .plot_file = arguments.plot_file});
}

std::vector<const inter::Algorithm*> chosen_algorithms(const Arguments& arguments,
                                                       const inter::Shape& shape) {
  const inter::Collective collective = parse_collective(arguments.collective);
  std::vector<const inter::Algorithm*> chosen;
  for (const std::string& name : arguments.algorithms) {
    if (name != "all") {
      chosen.push_back(&parse_algorithm(collective, name, shape));
      continue;
    }
    for (const inter::Algorithm& algorithm : inter::algorithms()) {
      if (algorithm.collective == collective && algorithm.supports(shape)) {
        chosen.push_back(&algorithm);
      }
    }
  }
  return chosen;
}

SweepInput make_sweep(const Arguments& arguments) {
  SweepInput sweep;
  sweep.base.machine = load_machine(arguments.machine);
  sweep.base.shape = parse_shape(arguments.shape);
  if (!arguments.physical.empty()) sweep.base.physical = parse_shape(arguments.physical);
  if (!arguments.segment.empty()) {
    sweep.base.segment_bytes = parse_bytes(arguments.segment, "segment");
  }
  sweep.base.window = arguments.window;
  sweep.base.root_rank = arguments.root;
  sweep.base.ranks_per_node = arguments.ranks_per_node;
  sweep.base.leader = parse_leader_policy(arguments.leader);
  sweep.base.sender = parse_root_sender(arguments.sender);
  sweep.base.candidates = arguments.candidates;
  sweep.sizes = parse_byte_list(arguments.bytes, "bytes");
  sweep.pattern = arguments.pattern;
  sweep.skew = picoseconds(arguments.skew_us, kMostUs, "skew-us");
  if (arguments.patience_us) {
    sweep.base.patience = picoseconds(*arguments.patience_us, kMostUs, "patience-us");
  }
  sweep.seed = arguments.seed;
  sweep.repetitions = arguments.repetitions;
  sweep.threads = arguments.threads;
  return sweep;
}

void print_table(const SweepInput& sweep, const std::vector<SweepPoint>& points) {
  fmt::print("{} on {}, shape {}\n", sweep.base.algorithm.name, sweep.base.machine.name,
             format_shape(sweep.base.shape));
  fmt::print("{:>8} {:>14} {:>12} {:>14} {:>14} {:>12} {:>10} {:>9} {:>9}\n", "bytes", "time us",
             "MB/s", "in call us", "excess us", "transfers", "links", "mean use", "peak use");
  for (const SweepPoint& point : points) {
    fmt::print("{:>8} {:>14.3f} {:>12.1f} {:>14.3f} {:>14.3f} {:>12.0f} {:>10} {:>9.4f} {:>9.4f}\n",
               format_bytes(point.bytes), point.time_us, point.throughput_mbps,
               point.in_call_mean_us, point.excess_mean_us, point.transfers, point.links_used,
               point.mean_link_utilization, point.peak_link_utilization);
  }
  if (const auto fit = fit_sweep(sweep, points)) {
    fmt::print("fit: B = {:.1f} MB/s, M1/2 = {:.4g} B, t0 = {:.3f} us\n", fit->b_mbps,
               fit->m_half_bytes, fit->t0_us);
  }
}

nlohmann::json to_json(const SweepInput& sweep, const std::vector<SweepPoint>& points) {
  nlohmann::json object = {{"machine", sweep.base.machine.name},
                           {"shape", format_shape(sweep.base.shape)},
                           {"collective", inter::collective_name(sweep.base.algorithm.collective)},
                           {"algorithm", sweep.base.algorithm.name},
                           {"results", nlohmann::json::array()},
                           {"fit", nullptr}};
  for (const SweepPoint& point : points) {
    object["results"].push_back({{"bytes", point.bytes},
                                 {"time_us", point.time_us},
                                 {"throughput_mbps", point.throughput_mbps},
                                 {"in_call_mean_us", point.in_call_mean_us},
                                 {"in_call_max_us", point.in_call_max_us},
                                 {"excess_mean_us", point.excess_mean_us},
                                 {"transfers", point.transfers},
                                 {"links_used", point.links_used},
                                 {"link_bytes", point.link_bytes},
                                 {"busiest_link_bytes", point.busiest_link_bytes},
                                 {"mean_link_utilization", point.mean_link_utilization},
                                 {"peak_link_utilization", point.peak_link_utilization}});
  }
  if (const auto fit = fit_sweep(sweep, points)) {
    object["fit"] = {
        {"b_mbps", fit->b_mbps}, {"m_half_bytes", fit->m_half_bytes}, {"t0_us", fit->t0_us}};
  }
  return object;
}

void run_sweeps(const Arguments& arguments) {
  SweepInput sweep = make_sweep(arguments);
  Plot plot{.title = fmt::format("{}, {} on {}", arguments.collective, arguments.shape,
                                 sweep.base.machine.name),
            .x_label = "message bytes",
            .y_label = "throughput MB/s",
            .log_x = true,
            .log_y = true,
            .curves = {}};
  nlohmann::json objects = nlohmann::json::array();
  for (const inter::Algorithm* algorithm : chosen_algorithms(arguments, sweep.base.shape)) {
    sweep.base.algorithm = *algorithm;
    const std::vector<SweepPoint> points = sweep_sizes(sweep);
    if (arguments.json_file != "-") print_table(sweep, points);
    objects.push_back(to_json(sweep, points));
    Curve curve{.name = algorithm->name, .points = {}};
    for (const SweepPoint& point : points) {
      curve.points.emplace_back(static_cast<double>(point.bytes), point.throughput_mbps);
    }
    plot.curves.push_back(std::move(curve));
  }
  if (!arguments.json_file.empty()) {
    // One algorithm: its object; several: a list of them.
    write_json(objects.size() == 1 ? objects.front() : nlohmann::json{{"algorithms", objects}},
               arguments.json_file);
  }
  if (!arguments.plot_file.empty()) write_svg(plot, arguments.plot_file);
}

int run(int argc, char** argv) {
  cli::App app{"Times of collectives on modelled machines"};
  Arguments arguments;
  declare(&app, &arguments);
  try {
    app.parse(argc, argv);
    complete(app, &arguments);
  } catch (const cli::ParseError& error) {
    return app.exit(error);
  }
  if (arguments.closed_loop.application.empty()) {
    run_sweeps(arguments);
  } else {
    run_loop(arguments);
  }
  return 0;
}

}  // namespace
}  // namespace mpiactor::sim

int main(int argc, char** argv) {
  return mpiactor::apps::run_printing("torus_sim", [&] { return mpiactor::sim::run(argc, argv); });
}
