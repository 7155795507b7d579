#include "bench/loop/loop_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/job_facts.h"
#include "bench/payload.h"

namespace mpiactor::bench {
namespace {

constexpr std::int64_t kLateEntryNs = 1'000'000;
constexpr std::int64_t kStartMarginNs = 2'000'000;

}  // namespace

// This rank's times of the counted steps, in the common clock.
struct LoopRunner::OwnTimes {
  std::int64_t begin_ns = 0;
  std::vector<std::int64_t> arrival_ns;
  std::vector<std::int64_t> exit_ns;
  std::int64_t late_entries = 0;
  std::int64_t left_ns = 0;  // of the last step, counted or not, in the own clock
};

LoopRunner::LoopRunner(const LoopOptions& options, MPI_Comm sync_comm, CommonClock& clock)
    : options_(options),
      sync_comm_(sync_comm),
      clock_(clock),
      common_start_(sync_comm, clock, /*stay_awake=*/false) {
  PMPI_Comm_rank(sync_comm, &rank_);
}

LoopSeries LoopRunner::run(std::int64_t bytes) {
  const LoopShape& shape = options_.shape;
  const std::int64_t last = shape.warmup + shape.steps;
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  OwnTimes times;
  times.arrival_ns.reserve(static_cast<std::size_t>(shape.steps));
  times.exit_ns.reserve(static_cast<std::size_t>(shape.steps));
  clock_.calibrate();
  times.left_ns = *common_start_.agree(kStartMarginNs, true);
  wait_until(times.left_ns, /*spin_at_end=*/false);
  for (std::int64_t number = 0; number < last; ++number) {
    if (number == shape.warmup) times.begin_ns = clock_.to_common(times.left_ns);
    step(number, times.left_ns, buffer, times);
  }
  check(last - 1, buffer);
  first_call_ += static_cast<std::uint64_t>(last);
  // A problem of one rank ends all of them here, where none is inside a broadcast.
  if (!common_start_.agree(0, problem_.empty())) throw JobFailed(problem_);
  return gather(bytes, times);
}

// The bytes of the last broadcast are checked, and those of the next one made, in the middle of the
// sleep: at its begin, ranks that are still in the call would have to share their processors.
void LoopRunner::step(std::int64_t step, std::int64_t begin_ns, std::vector<std::byte>& buffer,
                      OwnTimes& times) {
  const LoopShape& shape = options_.shape;
  const std::int64_t length_ns = shape.step_ns + options_.noise.draw_ns(rank_, step);
  const int root = root_of(shape, step);
  wait_until(begin_ns + length_ns / 2, /*spin_at_end=*/false);
  if (step > 0) check(step - 1, buffer);
  if (rank_ == root) fill_payload(buffer, first_call_ + static_cast<std::uint64_t>(step));
  const std::int64_t planned_ns = begin_ns + length_ns;
  wait_until(planned_ns, /*spin_at_end=*/false);
  const std::int64_t arrival_ns = now_ns();
  MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, root, MPI_COMM_WORLD);
  times.left_ns = now_ns();
  if (step < shape.warmup) return;
  times.arrival_ns.push_back(clock_.to_common(arrival_ns));
  times.exit_ns.push_back(clock_.to_common(times.left_ns));
  if (arrival_ns - planned_ns > kLateEntryNs) ++times.late_entries;
}

void LoopRunner::check(std::int64_t step, const std::vector<std::byte>& buffer) {
  const auto wrong = find_wrong_bytes(buffer, first_call_ + static_cast<std::uint64_t>(step));
  if (!wrong || !problem_.empty()) return;
  problem_ =
      fmt::format("rank {} got wrong data from root {}: {} bytes, step {}, first wrong bytes at {}",
                  rank_, root_of(options_.shape, step), buffer.size(), step, *wrong);
}

LoopSeries LoopRunner::gather(std::int64_t bytes, const OwnTimes& times) const {
  const LoopShape& shape = options_.shape;
  const auto steps = static_cast<std::size_t>(shape.steps);
  const std::size_t total = rank_ == 0 ? steps * static_cast<std::size_t>(shape.ranks) : 0;
  std::vector<std::int64_t> arrivals(total), exits(total);
  const auto count = static_cast<int>(steps);
  PMPI_Gather(times.arrival_ns.data(), count, MPI_INT64_T, arrivals.data(), count, MPI_INT64_T, 0,
              sync_comm_);
  PMPI_Gather(times.exit_ns.data(), count, MPI_INT64_T, exits.data(), count, MPI_INT64_T, 0,
              sync_comm_);
  LoopSeries series;
  series.bytes = bytes;
  PMPI_Reduce(&times.begin_ns, &series.begin_ns, 1, MPI_INT64_T, MPI_MIN, 0, sync_comm_);
  PMPI_Reduce(&times.late_entries, &series.late_entries, 1, MPI_INT64_T, MPI_SUM, 0, sync_comm_);
  if (rank_ != 0) return series;
  for (std::size_t step = 0; step < steps; ++step) {
    CallTimes call{.root = root_of(shape, shape.warmup + static_cast<std::int64_t>(step)),
                   .arrival_ns = {},
                   .exit_ns = {}};
    for (std::size_t index = step; index < total; index += steps) {
      call.arrival_ns.push_back(arrivals[index]);
      call.exit_ns.push_back(exits[index]);
    }
    series.calls.push_back(std::move(call));
  }
  return series;
}

}  // namespace mpiactor::bench
