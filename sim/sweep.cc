#include "sim/sweep.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mpiactor::sim {
namespace {

constexpr double kPsPerUs = static_cast<double>(kPicosecondsPerMicrosecond);

double work_of(const CollectiveInput& call) {
  return work_per_byte(call.algorithm.collective, call.layout());
}

SweepPoint mean_point(const SweepInput& input, std::uint64_t bytes,
                      const CollectiveResult* results) {
  SweepPoint point;
  point.bytes = bytes;
  const double share = 1.0 / input.repetitions;
  const double scale = share / kPsPerUs;
  for (int repetition = 0; repetition < input.repetitions; ++repetition) {
    const CollectiveResult& result = results[repetition];
    point.time_us += static_cast<double>(result.end) * scale;
    point.in_call_mean_us += result.in_call_mean_ps * scale;
    point.in_call_max_us =
        std::max(point.in_call_max_us, static_cast<double>(result.in_call_max_ps) / kPsPerUs);
    point.excess_mean_us += result.excess_mean_ps * scale;
    point.transfers += static_cast<double>(result.simulation.transfers) * share;
    const LinkStatistics& links = result.simulation.links;
    point.links_used = std::max(point.links_used, links.used);
    point.link_bytes += static_cast<double>(links.total_bytes) * share;
    point.busiest_link_bytes = std::max(point.busiest_link_bytes, links.most_bytes);
    point.mean_link_utilization += links.mean_utilization * share;
    point.peak_link_utilization = std::max(point.peak_link_utilization, links.peak_utilization);
  }
  point.throughput_mbps = work_of(input.base) * static_cast<double>(bytes) / point.time_us;
  return point;
}

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), shown_(isatty(STDERR_FILENO) != 0) {
  if (shown_) show();
}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::step() {
  const std::lock_guard lock(mutex_);
  ++done_;
  if (shown_) show();
}

void Progress::show() const {
  fmt::print(stderr, "\r{}: {} of {}\033[K", what_, done_, total_);
  std::fflush(stderr);
}

void parallel_sweep(const std::string& what, std::size_t count, int threads,
                    const std::function<void(std::size_t)>& task) {
  Progress progress(what, count);
  oneapi::tbb::task_arena arena(threads > 0 ? threads : oneapi::tbb::task_arena::automatic);
  arena.execute([&] {
    // The largest tasks tend to come last: started first, they do not leave one core alone at the
    // end.
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const oneapi::tbb::blocked_range<std::size_t>& range) {
          for (std::size_t k = range.begin(); k < range.end(); ++k) {
            task(count - 1 - k);
            progress.step();
          }
        },
        oneapi::tbb::simple_partitioner());
  });
}

std::vector<SweepPoint> sweep_sizes(const SweepInput& input) {
  if (input.repetitions < 1) {
    throw InputError(fmt::format("repetitions is {}; allowed: at least 1", input.repetitions));
  }
  for (const std::uint64_t bytes : input.sizes) {
    CollectiveInput call = input.base;
    call.bytes = bytes;
    check(call);
  }
  const auto repetitions = static_cast<std::size_t>(input.repetitions);
  std::vector<CollectiveResult> results(input.sizes.size() * repetitions);
  parallel_sweep(input.base.algorithm.name, results.size(), input.threads, [&](std::size_t k) {
    CollectiveInput call = input.base;
    call.bytes = input.sizes[k / repetitions];
    call.arrivals =
        make_arrivals(input.pattern, call.layout(), input.skew, input.seed + k % repetitions);
    results[k] = run_collective(call);
    // Per-rank times are needed no more; a sweep over many ranks would pile them up.
    results[k].exits = {};
    results[k].simulation.node_ends = {};
    results[k].simulation.copies_ends = {};
  });
  std::vector<SweepPoint> points;
  for (std::size_t size = 0; size < input.sizes.size(); ++size) {
    points.push_back(mean_point(input, input.sizes[size], &results[size * repetitions]));
  }
  return points;
}

std::optional<Fit> fit_sweep(const SweepInput& input, const std::vector<SweepPoint>& points) {
  std::vector<TimedSize> sizes;
  for (const SweepPoint& point : points) sizes.push_back({point.bytes, point.time_us});
  return fit_throughput(sizes, work_of(input.base));
}

}  // namespace mpiactor::sim
