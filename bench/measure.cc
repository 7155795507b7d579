#include "bench/measure.h"

#include <fmt/format.h>

#include "bench/arrival_pattern.h"
#include "bench/payload.h"

namespace mpiactor::bench {
namespace {

constexpr std::int64_t kLateEntryNs = 1'000'000;

}  // namespace

// This rank's times of one contender's calls, in the common clock.
struct Measurement::OwnTimes {
  std::vector<std::int64_t> arrival_ns;
  std::vector<std::int64_t> exit_ns;
  std::int64_t late_entries = 0;
};

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
      if (alternating) choose_leader(contenders[chosen]);
      run_call(buffer, root, delay_ns, (warming_up ? discarded : times)[chosen]);
    }
  }
  agree_start();  // whether the last call went well, too
  std::vector<Series> series;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    series.push_back(gather(contenders[i], bytes, times[i]));
  }
  return series;
}

// A problem of one rank ends all of them here, where none is inside a broadcast: an abort at once
// could lose the message that says why.
std::int64_t Measurement::agree_start() {
  const auto start_ns = common_start_.agree(options_.margin_ns, problem_.empty());
  if (!start_ns) throw JobFailed(problem_);
  return *start_ns;
}

void Measurement::choose_leader(const std::string& leader) {
  if (const int error = leader_switch_.choose(leader); error != 0 && problem_.empty()) {
    problem_ =
        fmt::format("rank {}: the runtime refused leader '{}' (mpiactor_set_leader returned {})",
                    rank_, leader, error);
  }
}

void Measurement::check(const std::vector<std::byte>& buffer, std::uint64_t call, int root) {
  const auto wrong = find_wrong_bytes(buffer, call);
  if (!wrong || !problem_.empty()) return;
  problem_ =
      fmt::format("rank {} got wrong data from root {}: {} bytes, call {}, first wrong bytes at {}",
                  rank_, root, buffer.size(), call, *wrong);
}

void Measurement::run_call(std::vector<std::byte>& buffer, int root, std::int64_t delay_ns,
                           OwnTimes& times) {
  const std::uint64_t call = calls_made_++;
  if (rank_ == root) fill_payload(buffer, call);
  const std::int64_t planned_ns = agree_start() + delay_ns;
  wait_until(planned_ns, core_for_each_rank_);
  const std::int64_t arrival_ns = now_ns();
  MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, root, MPI_COMM_WORLD);
  const std::int64_t exit_ns = now_ns();
  times.arrival_ns.push_back(clock_.to_common(arrival_ns));
  times.exit_ns.push_back(clock_.to_common(exit_ns));
  if (arrival_ns - planned_ns > kLateEntryNs) ++times.late_entries;
  // Checking costs as much time as the call itself: not while others are still inside it, whose
  // processors it would take.
  common_start_.agree(0, true);
  check(buffer, call, root);
}

Series Measurement::gather(const std::string& contender, std::int64_t bytes,
                           const OwnTimes& times) const {
  const auto calls = times.arrival_ns.size();
  const std::size_t total = rank_ == 0 ? calls * static_cast<std::size_t>(ranks_) : 0;
  std::vector<std::int64_t> arrivals(total), exits(total);
  const auto count = static_cast<int>(calls);
  PMPI_Gather(times.arrival_ns.data(), count, MPI_INT64_T, arrivals.data(), count, MPI_INT64_T, 0,
              sync_comm_);
  PMPI_Gather(times.exit_ns.data(), count, MPI_INT64_T, exits.data(), count, MPI_INT64_T, 0,
              sync_comm_);
  Series series{.contender = contender, .bytes = bytes, .calls = {}, .late_entries = 0};
  PMPI_Reduce(&times.late_entries, &series.late_entries, 1, MPI_INT64_T, MPI_SUM, 0, sync_comm_);
  if (rank_ != 0) return series;
  for (std::size_t call = 0; call < calls; ++call) {
    CallTimes entry{
        .root = root_of(static_cast<std::int64_t>(call)), .arrival_ns = {}, .exit_ns = {}};
    for (std::size_t index = call; index < total; index += calls) {
      entry.arrival_ns.push_back(arrivals[index]);
      entry.exit_ns.push_back(exits[index]);
    }
    series.calls.push_back(std::move(entry));
  }
  return series;
}

int Measurement::root_of(std::int64_t repetition) const {
  return options_.rotate_roots ? static_cast<int>(repetition % ranks_) : options_.fixed_root;
}

}  // namespace mpiactor::bench
