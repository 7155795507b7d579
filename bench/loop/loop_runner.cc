#include "bench/loop/loop_runner.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "bench/own_times.h"
#include "bench/payload.h"

namespace mpiactor::bench {
namespace {

constexpr std::int64_t kStartMarginNs = 2'000'000;

}  // namespace

// This rank's times of the counted steps.
struct LoopRunner::LoopTimes : OwnTimes {
  std::int64_t begin_ns = 0;  // in the common clock, too
  std::int64_t left_ns = 0;   // of the last step, counted or not, in the own clock
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
  LoopTimes times;
  times.arrival_ns.reserve(static_cast<std::size_t>(shape.steps));
  times.exit_ns.reserve(static_cast<std::size_t>(shape.steps));
  clock_.calibrate();
  times.left_ns = common_start_.agree(kStartMarginNs);
  wait_until(times.left_ns, /*spin_at_end=*/false);
  for (std::int64_t number = 0; number < last; ++number) {
    if (number == shape.warmup) times.begin_ns = clock_.to_common(times.left_ns);
    step(number, times.left_ns, buffer, times);
  }
  check(last - 1, buffer);
  first_call_ += static_cast<std::uint64_t>(last);
  common_start_.agree(0);  // whether all went well
  return gather(bytes, times);
}

// The bytes of the last broadcast are checked, and those of the next one made, in the middle of the
// sleep: at its begin, ranks that are still in the call would have to share their processors.
void LoopRunner::step(std::int64_t step, std::int64_t begin_ns, std::vector<std::byte>& buffer,
                      LoopTimes& times) {
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
  times.add(clock_, planned_ns, arrival_ns, times.left_ns);
}

void LoopRunner::check(std::int64_t step, const std::vector<std::byte>& buffer) {
  const auto wrong = find_wrong_bytes(buffer, first_call_ + static_cast<std::uint64_t>(step));
  if (!wrong) return;
  common_start_.note_problem(
      fmt::format("rank {} got wrong data from root {}: {} bytes, step {}, first wrong bytes at {}",
                  rank_, root_of(options_.shape, step), buffer.size(), step, *wrong));
}

LoopSeries LoopRunner::gather(std::int64_t bytes, const LoopTimes& times) const {
  const LoopShape& shape = options_.shape;
  GatheredTimes all = gather_times(
      times, [&](std::int64_t step) { return root_of(shape, shape.warmup + step); }, sync_comm_);
  LoopSeries series{.bytes = bytes,
                    .calls = std::move(all.calls),
                    .begin_ns = 0,
                    .late_entries = all.late_entries};
  PMPI_Reduce(&times.begin_ns, &series.begin_ns, 1, MPI_INT64_T, MPI_MIN, 0, sync_comm_);
  return series;
}

}  // namespace mpiactor::bench
