#include "bench/measure.h"

#include <fmt/format.h>

#include <utility>

#include "bench/arrival_pattern.h"
#include "bench/payload.h"

namespace mpiactor::bench {

Measurement::Measurement(const Options& options, MPI_Comm sync_comm, CommonClock& clock,
                         const LeaderSwitch& leader_switch, bool core_for_each_rank)
    : options_(options),
      sync_comm_(sync_comm),
      clock_(clock),
      leader_switch_(leader_switch),
      common_start_(sync_comm, clock, core_for_each_rank),
      core_for_each_rank_(core_for_each_rank) {
  PMPI_Comm_rank(sync_comm, &rank_);
  PMPI_Comm_size(sync_comm, &ranks_);
}

std::vector<Series> Measurement::run_size(std::int64_t bytes) {
  clock_.calibrate();
  const bool alternating = !options_.contenders.empty();
  const std::vector<std::string> contenders =
      alternating ? options_.contenders : std::vector<std::string>{options_.label};
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  std::vector<OwnTimes> times(contenders.size());
  std::vector<OwnTimes> discarded(contenders.size());
  for (std::int64_t turn = 0; turn < options_.warmup + options_.repetitions; ++turn) {
    const std::int64_t repetition = turn - options_.warmup;
    const bool warming_up = repetition < 0;
    const int root = root_of(warming_up ? turn : repetition);
    const std::int64_t delay_ns = warming_up
                                      ? 0
                                      : arrival_delays_ns(options_.arrivals, repetition,
                                                          root)[static_cast<std::size_t>(rank_)];
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t chosen = (i + static_cast<std::size_t>(turn)) % contenders.size();
      if (alternating) {
        common_start_.note_problem(leader_switch_.choose(contenders[chosen], rank_));
      }
      run_call(buffer, root, delay_ns, (warming_up ? discarded : times)[chosen]);
    }
  }
  common_start_.agree(0);  // whether the last call went well, too
  std::vector<Series> series;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    GatheredTimes all = gather_times(
        times[i], [&](std::int64_t repetition) { return root_of(repetition); }, sync_comm_);
    series.push_back({.contender = contenders[i],
                      .bytes = bytes,
                      .calls = std::move(all.calls),
                      .late_entries = all.late_entries});
  }
  return series;
}

void Measurement::check(const std::vector<std::byte>& buffer, std::uint64_t call, int root) {
  const auto wrong = find_wrong_bytes(buffer, call);
  if (!wrong) return;
  common_start_.note_problem(
      fmt::format("rank {} got wrong data from root {}: {} bytes, call {}, first wrong bytes at {}",
                  rank_, root, buffer.size(), call, *wrong));
}

void Measurement::run_call(std::vector<std::byte>& buffer, int root, std::int64_t delay_ns,
                           OwnTimes& times) {
  const std::uint64_t call = calls_made_++;
  if (rank_ == root) fill_payload(buffer, call);
  const std::int64_t planned_ns = common_start_.agree(options_.margin_ns) + delay_ns;
  wait_until(planned_ns, core_for_each_rank_);
  const std::int64_t arrival_ns = now_ns();
  MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, root, MPI_COMM_WORLD);
  const std::int64_t exit_ns = now_ns();
  times.add(clock_, planned_ns, arrival_ns, exit_ns);
  // Checking costs as much time as the call itself: not while others are still inside it, whose
  // processors it would take.
  common_start_.agree(0);
  check(buffer, call, root);
}

int Measurement::root_of(std::int64_t repetition) const {
  return options_.rotate_roots ? static_cast<int>(repetition % ranks_) : options_.fixed_root;
}

}  // namespace mpiactor::bench
