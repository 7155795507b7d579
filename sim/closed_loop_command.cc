#include "sim/closed_loop_command.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/arguments.h"
#include "sim/contest.h"
#include "sim/json_file.h"
#include "sim/library_plan.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::sim {
namespace {

constexpr double kMostUs = 1e6;
constexpr std::int64_t kMostSteps = 10'000'000;

double microseconds(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kPicosecondsPerMicrosecond);
}

std::string algorithm_of(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() > 1) {
    throw InputError(
        fmt::format("algorithm is '{}'; allowed with a closed loop: one", fmt::join(names, ",")));
  }
  return names.front();
}

Application overridden(const ClosedLoopArguments& arguments, int ranks) {
  Application application = make_application(arguments.application, ranks);
  if (arguments.steps < 0 || arguments.steps > kMostSteps) {
    throw InputError(fmt::format("steps is {}; allowed: 1 to {}, or 0 for the application's",
                                 arguments.steps, kMostSteps));
  }
  if (arguments.steps > 0) application.steps = static_cast<std::uint64_t>(arguments.steps);
  if (!arguments.size.empty()) application.bytes = parse_bytes(arguments.size, "size");
  if (!(arguments.computing_us < 0)) {
    application.computing = picoseconds(arguments.computing_us, kMostUs, "computing-us");
  }
  return application;
}

ContestInput make_contest(const ClosedLoopArguments& arguments, const ClosedLoopMachine& on) {
  ContestInput contest;
  ContenderInput& contender = contest.base.contender;
  contender.machine = load_machine(on.machine);
  contender.shape = parse_shape(on.shape);
  contender.ranks_per_node = on.ranks_per_node;
  contender.algorithm = algorithm_of(on.algorithms);
  contender.candidates = on.candidates;
  if (!on.segment.empty()) contender.segment_bytes = parse_bytes(on.segment, "segment");
  contest.base.application = overridden(arguments, contender.layout().ranks());
  contender.bytes = contest.base.application.bytes;
  BroadcastPlayer checked(contender);
  contest.base.noise.kind = parse_noise_kind(arguments.noise);
  contest.base.noise.seed = on.seed;
  contest.static_sender = contest.competitive_sender = on.sender;
  contest.threads = on.threads;
  for (const double us : arguments.noise_us)
    contest.noises.push_back(picoseconds(us, kMostUs, "noise-us"));
  if (contest.noises.empty()) {
    picoseconds(arguments.spread_us, kMostUs, "spread-us");
    contest.noises.push_back(noise_of_spread(contest, arguments.spread_us));
  }
  return contest;
}

std::string algorithm_name(const ContestInput& contest) {
  const ContenderInput& contender = contest.base.contender;
  return contender.algorithm.empty() ? library_algorithm(contender.bytes, contender.shape.nodes())
                                     : contender.algorithm;
}

void print_table(const ContestInput& contest, const ClosedLoopMachine& on,
                 const std::vector<ContestPoint>& points) {
  const Application& application = contest.base.application;
  fmt::print("{} on {}, {} nodes x {} ranks, {} broadcasts of {} by {}, computing {:.1f} us\n",
             application.name, contest.base.contender.machine.name, on.shape, on.ranks_per_node,
             application.steps, format_bytes(application.bytes), algorithm_name(contest),
             microseconds(application.computing));
  fmt::print("noise: {}, seed {}\n", noise_kind_name(contest.base.noise.kind),
             contest.base.noise.seed);
  fmt::print("{:>10} {:>12} {:>7} {:>11} {:>15} {:>9} {:>10} {:>10} {:>9}\n", "noise us",
             "contender", "sender", "spread us", "in broadcast us", "/ plain", "/ static",
             "root us", "total s");
  for (const ContestPoint& point : points) {
    for (const Contender contender : kContenders) {
      const ClosedLoopResult& result = point.of(contender);
      fmt::print(
          "{:>10.1f} {:>12} {:>7} {:>11.1f} {:>15.1f} {:>9.3f} {:>10.3f} {:>10.1f} {:>9.3f}\n",
          microseconds(point.noise), contender_name(contender),
          root_sender_name(sender_of(contest, contender)), result.spread_mean_us,
          result.in_call_mean_us, point.ratio(contender, Contender::kPlain),
          point.ratio(contender, Contender::kStatic), result.root_in_call_mean_us, result.total_s);
    }
  }
}

nlohmann::json to_json(const ContestInput& contest, const ClosedLoopMachine& on,
                       const std::vector<ContestPoint>& points) {
  const Application& application = contest.base.application;
  nlohmann::json object = {{"closed_loop", application.name},
                           {"machine", contest.base.contender.machine.name},
                           {"shape", on.shape},
                           {"ranks_per_node", on.ranks_per_node},
                           {"algorithm", algorithm_name(contest)},
                           {"bytes", application.bytes},
                           {"steps", application.steps},
                           {"computing_us", microseconds(application.computing)},
                           {"noise", noise_kind_name(contest.base.noise.kind)},
                           {"seed", contest.base.noise.seed},
                           {"results", nlohmann::json::array()}};
  for (const ContestPoint& point : points) {
    nlohmann::json contenders = nlohmann::json::array();
    for (const Contender contender : kContenders) {
      const ClosedLoopResult& result = point.of(contender);
      contenders.push_back({{"name", contender_name(contender)},
                            {"sender", root_sender_name(sender_of(contest, contender))},
                            {"spread_mean_us", result.spread_mean_us},
                            {"in_call_mean_us", result.in_call_mean_us},
                            {"to_plain", point.ratio(contender, Contender::kPlain)},
                            {"to_static", point.ratio(contender, Contender::kStatic)},
                            {"root_in_call_mean_us", result.root_in_call_mean_us},
                            {"total_s", result.total_s}});
    }
    object["results"].push_back(
        {{"noise_us", microseconds(point.noise)}, {"contenders", std::move(contenders)}});
  }
  return object;
}

}  // namespace

void declare_closed_loop(cli::App* app, ClosedLoopArguments* arguments) {
  const cli::Option loop = app->add_option(
      "--closed-loop", arguments->application,
      fmt::format("an application whose broadcasts follow from each other: {}", kApplications));
  const auto add = [&](const char* name, auto* value, const std::string& help) {
    return app->add_option(name, *value, help)->needs(loop);
  };
  add("--noise", &arguments->noise, fmt::format("{}; default: independent", kNoiseKinds));
  const cli::Option noise_us =
      add("--noise-us", &arguments->noise_us, "largest noise, one or several")->delimiter(',');
  add("--spread-us", &arguments->spread_us,
      "instead: as much noise as makes plain's arrivals so far apart; default: 300")
      ->excludes(noise_us);
  add("--steps", &arguments->steps, "broadcasts; default: the application's");
  add("--size", &arguments->size, "of each broadcast, up to 2M; default: the application's");
  add("--computing-us", &arguments->computing_us, "of each step; default: the application's");
}

void run_closed_loop_command(const ClosedLoopArguments& arguments, const ClosedLoopMachine& on) {
  const ContestInput contest = make_contest(arguments, on);
  const std::vector<ContestPoint> points = run_contest(contest);
  if (on.json_file != "-") print_table(contest, on, points);
  if (!on.json_file.empty()) write_json(to_json(contest, on, points), on.json_file);
  if (!on.plot_file.empty()) write_svg(plot_of(contest, points), on.plot_file);
}

}  // namespace mpiactor::sim
