#include "sim/closed_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mpiactor::sim {
namespace {

double microseconds(double ps) { return ps / static_cast<double>(kPicosecondsPerMicrosecond); }

// When all members of each node had left the last kMostAhead broadcasts.
class Ahead {
 public:
  explicit Ahead(const Layout& layout)
      : layout_(layout),
        left_(kMostAhead, std::vector<Picoseconds>(static_cast<std::size_t>(layout.nodes), 0)) {}

  // When ranks that come at `arrivals` may begin broadcast number `step`.
  std::vector<Picoseconds> entries(std::uint64_t step, std::vector<Picoseconds> arrivals) const {
    const std::vector<Picoseconds>& left = left_[step % kMostAhead];
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
      const auto node = static_cast<std::size_t>(layout_.node_of(static_cast<int>(rank)));
      arrivals[rank] = std::max(arrivals[rank], left[node]);
    }
    return arrivals;
  }

  void leave(std::uint64_t step, const std::vector<Picoseconds>& exits) {
    std::vector<Picoseconds>& left = left_[step % kMostAhead];
    for (int node = 0; node < layout_.nodes; ++node) {
      left[static_cast<std::size_t>(node)] = *std::max_element(
          exits.begin() + layout_.first_rank(node), exits.begin() + layout_.first_rank(node + 1));
    }
  }

 private:
  Layout layout_;
  std::vector<std::vector<Picoseconds>> left_;  // by step modulo kMostAhead, then node
};

// The model counts from the first entry on, so that times stay short however long the run.
std::vector<Picoseconds> play(BroadcastPlayer* player, std::uint64_t step, int root,
                              std::vector<Picoseconds> entries) {
  const Picoseconds first = *std::min_element(entries.begin(), entries.end());
  for (Picoseconds& entry : entries) entry -= first;
  std::vector<Picoseconds> exits = player->exits(step, root, entries);
  for (Picoseconds& exit : exits) exit += first;
  return exits;
}

struct Sums {
  double in_call = 0;
  double root_in_call = 0;
  double spread = 0;

  void add(const std::vector<Picoseconds>& arrivals, const std::vector<Picoseconds>& exits,
           int root) {
    for (std::size_t rank = 0; rank < exits.size(); ++rank) {
      const auto in_this_call = static_cast<double>(exits[rank] - arrivals[rank]);
      in_call += in_this_call;
      if (static_cast<int>(rank) == root) root_in_call += in_this_call;
    }
    const auto [earliest, latest] = std::minmax_element(arrivals.begin(), arrivals.end());
    spread += static_cast<double>(*latest - *earliest);
  }
};

double spread_with(ClosedLoopInput* input, Picoseconds largest) {
  input->noise.largest = largest;
  return run_closed_loop(*input).spread_mean_us;
}

}  // namespace

Application make_application(const std::string& name, int ranks) {
  const auto of_ranks = static_cast<std::uint64_t>(ranks);
  Application application{.name = name};
  if (name == "asp") {
    constexpr std::uint64_t kVertices = 10'240;
    constexpr std::uint64_t kRelaxationPs = 2'000;
    application.bytes = 4 * kVertices;
    application.steps = kVertices;
    application.computing = kVertices * kVertices * kRelaxationPs / of_ranks;
    application.steps_per_root = std::max<std::uint64_t>(kVertices / of_ranks, 1);
    return application;
  }
  if (name == "vcc") {
    constexpr std::uint64_t kVariables = 16'384;
    constexpr std::uint64_t kObservations = 1'024;
    constexpr std::uint64_t kBlock = 32;
    constexpr std::uint64_t kProductPs = 1'000;
    application.bytes = 8 * kBlock * kObservations;
    application.steps = kVariables / kBlock;
    application.computing = kBlock * kVariables / 2 * kObservations * kProductPs / of_ranks;
    return application;
  }
  throw InputError(fmt::format("closed-loop is '{}'; allowed: {}", name, kApplications));
}

ClosedLoopResult run_closed_loop(const ClosedLoopInput& input) {
  BroadcastPlayer player(input.contender);
  const Layout layout = input.contender.layout();
  const bool limited = input.contender.contender != Contender::kPlain;
  Ahead ahead(layout);
  Sums sums;
  std::vector<Picoseconds> exits(static_cast<std::size_t>(layout.ranks()), 0);
  for (std::uint64_t step = 0; step < input.application.steps; ++step) {
    std::vector<Picoseconds> arrivals = std::move(exits);
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      arrivals[static_cast<std::size_t>(rank)] +=
          input.application.computing + input.noise.of(step, rank);
    }
    const int root = input.application.root_of(step, layout.ranks());
    exits = play(&player, step, root, limited ? ahead.entries(step, arrivals) : arrivals);
    ahead.leave(step, exits);
    sums.add(arrivals, exits, root);
  }
  const auto steps = static_cast<double>(input.application.steps);
  return {
      .in_call_mean_us = microseconds(sums.in_call / steps / layout.ranks()),
      .root_in_call_mean_us = microseconds(sums.root_in_call / steps),
      .spread_mean_us = microseconds(sums.spread / steps),
      .total_s =
          microseconds(static_cast<double>(*std::max_element(exits.begin(), exits.end()))) / 1e6};
}

Picoseconds find_noise(ClosedLoopInput input, double spread_us) {
  constexpr double kPrecision = 0.005;
  constexpr Picoseconds kMostNoise = kPicosecondsPerMicrosecond * 1'000'000;
  const double without = spread_with(&input, 0);
  if (spread_us < without) {
    throw InputError(fmt::format("spread-us is {}; allowed: at least {:.1f}, without any noise",
                                 spread_us, without));
  }
  struct Tried {
    Picoseconds noise = 0;
    double spread = 0;
  };
  const auto attempt = [&input](Picoseconds noise) -> Tried {
    return {noise, spread_with(&input, noise)};
  };
  Tried below = {0, without};
  Tried above = attempt(static_cast<Picoseconds>(
      std::ceil(spread_us * static_cast<double>(kPicosecondsPerMicrosecond))));
  while (above.spread < spread_us) {
    if (above.noise > kMostNoise) {
      throw InputError(fmt::format("spread-us is {}; allowed: at most {:.1f}, with noise of {} us",
                                   spread_us, above.spread,
                                   above.noise / kPicosecondsPerMicrosecond));
    }
    below = above;
    above = attempt(above.noise * 2);
  }
  Tried last = above;
  while (std::abs(last.spread - spread_us) > kPrecision * spread_us &&
         above.noise - below.noise > 1) {
    const double share = (spread_us - below.spread) / (above.spread - below.spread);
    const auto step = static_cast<Picoseconds>(static_cast<double>(above.noise - below.noise) *
                                               std::clamp(share, 0.1, 0.9));
    last = attempt(below.noise + std::max<Picoseconds>(step, 1));
    (last.spread < spread_us ? below : above) = last;
  }
  return last.noise;
}

}  // namespace mpiactor::sim
