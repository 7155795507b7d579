#include "bench/matrix/cell_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bench/byte_size.h"
#include "bench/matrix/contents.h"
#include "bench/own_times.h"

namespace mpiactor::bench {
namespace {

// Turns that each contender has in a cell.
constexpr int kSpells = 6;
// Before the first cell, where connections and shared memory come into being.
constexpr int kFirstWarmUpCalls = 3;
constexpr int kMostRepetitions = 5000;

}  // namespace

// This rank's times of one contender's calls.
struct CellRunner::CellTimes : OwnTimes {
  std::vector<std::int64_t> start_ns;  // in the common clock, too
};

CellRunner::CellRunner(const MatrixOptions& options, BufferBytes buffers, MPI_Comm sync_comm,
                       CommonClock& clock, const LeaderSwitch& leader_switch,
                       bool core_for_each_rank)
    : options_(options),
      sync_comm_(sync_comm),
      clock_(clock),
      leader_switch_(leader_switch),
      common_start_(sync_comm, clock, core_for_each_rank),
      core_for_each_rank_(core_for_each_rank),
      send_(static_cast<std::size_t>(buffers.send), options.buffer_offset_bytes),
      receive_(static_cast<std::size_t>(buffers.receive), options.buffer_offset_bytes),
      swept_(static_cast<std::size_t>(options.sweep_bytes), 0) {
  PMPI_Comm_rank(sync_comm, &rank_);
  PMPI_Comm_size(sync_comm, &ranks_);
  counts_.resize(static_cast<std::size_t>(ranks_));
  displacements_.resize(static_cast<std::size_t>(ranks_));
  requests_.resize(static_cast<std::size_t>(options.under_way), MPI_REQUEST_NULL);
}

// Rank 0's value on every rank.
template <typename Number>
Number CellRunner::from_rank0(Number value) const {
  std::int64_t common = value;
  PMPI_Bcast(&common, 1, MPI_INT64_T, 0, sync_comm_);
  return static_cast<Number>(common);
}

std::vector<CellSeries> CellRunner::run(const Cell& cell) {
  clock_.calibrate();
  const bool alternating = !options_.contenders.empty();
  const std::vector<std::string> contenders =
      alternating ? options_.contenders : std::vector<std::string>{options_.label};
  std::int64_t warm_calls_ns = 0;
  for (const std::string& contender : contenders) {
    choose(contender);
    warm_calls_ns += warm_up(cell, first_cell_ ? kFirstWarmUpCalls : 1);
    if (options_.verify) verify(cell, root_of(cell, verifications_++));
  }
  first_cell_ = false;
  const std::vector<CellTimes> times =
      run_spells(cell, contenders, warm_calls_ns / static_cast<std::int64_t>(contenders.size()));
  common_start_.agree(0);  // whether the last call went well, too
  std::vector<CellSeries> series;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    series.push_back(gather(cell, contenders[i], times[i]));
  }
  return series;
}

void CellRunner::choose(const std::string& contender) {
  if (options_.contenders.empty()) return;
  common_start_.note_problem(leader_switch_.choose(contender, rank_));
}

// Calls (where roots rotate, for every root), as far as a quarter of the cell's time allows, but at
// least `least`. Returns rank 0's shortest time for a call with all that belongs to it; the same on
// every rank.
std::int64_t CellRunner::warm_up(const Cell& cell, int least) {
  const int most = std::max(least, ranks_);
  const std::int64_t end_ns = now_ns() + options_.cell_ns / 4;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int done = 0; done < most; ++done) {
    if (done >= least && from_rank0(now_ns() > end_ns ? 1 : 0) != 0) break;
    const std::int64_t begin_ns = now_ns();
    wait_until(common_start_.agree(options_.margin_ns), core_for_each_rank_);
    call(cell, root_of(cell, done));
    common_start_.agree(0);
    shortest_ns = std::min(shortest_ns, now_ns() - begin_ns);
    // As in a program that calls blocking collectives as well: they may set up what nonblocking
    // ones, which must not wait for each other, can use.
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return from_rank0(shortest_ns);
}

void CellRunner::verify(const Cell& cell, int root) {
  if (cell.bytes == 0) return;
  const Share share{.collective = cell.collective,
                    .kind = options_.element.kind,
                    .count = static_cast<std::size_t>(cell.bytes) / options_.element.bytes,
                    .rank = rank_,
                    .ranks = ranks_,
                    .root = root,
                    .salt = verifications_};
  for (int k = 0; k < cell.under_way; ++k) fill_contents(share, send_.get(), received(cell, k));
  common_start_.agree(options_.margin_ns);
  call(cell, root);
  // Checking takes processor time: not while others are still inside the call.
  common_start_.agree(0);
  for (int k = 0; k < cell.under_way; ++k) {
    const auto wrong = find_wrong_element(share, received(cell, k));
    if (!wrong) continue;
    common_start_.note_problem(fmt::format(
        "rank {} got wrong data from {} of {} bytes, root {}: first wrong {} at {}", rank_,
        cell.collective->name, format_byte_size(cell.bytes), root, options_.element.name, *wrong));
    return;
  }
}

int CellRunner::repetitions_for(std::int64_t warm_call_ns) const {
  if (options_.repetitions > 0) return options_.repetitions;
  // A call takes as long as its last arrival, and ranks are together again afterwards.
  const std::int64_t call_ns = std::max<std::int64_t>(1, warm_call_ns + options_.arrivals.skew_ns);
  const std::int64_t fitting = std::min<std::int64_t>(options_.cell_ns / call_ns, kMostRepetitions);
  return std::max(static_cast<int>(fitting), options_.least_repetitions);
}

// Where calls take longer than those before them let expect, it ends after fewer spells.
std::vector<CellRunner::CellTimes> CellRunner::run_spells(
    const Cell& cell, const std::vector<std::string>& contenders, std::int64_t warm_call_ns) {
  const int repetitions = repetitions_for(warm_call_ns);
  const int spells = std::min(kSpells, repetitions);
  const auto budget_ns = options_.cell_ns * static_cast<std::int64_t>(contenders.size());
  const std::int64_t begin_ns = now_ns();
  std::vector<CellTimes> times(contenders.size());
  for (int spell = 0; spell < spells; ++spell) {
    const int first = repetitions * spell / spells;
    const bool enough = options_.repetitions == 0 && first >= options_.least_repetitions;
    if (enough && from_rank0(now_ns() - begin_ns > budget_ns ? 1 : 0) != 0) break;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t chosen = (i + static_cast<std::size_t>(spell)) % contenders.size();
      choose(contenders[chosen]);
      run_spell(cell, first, repetitions * (spell + 1) / spells, times[chosen]);
    }
  }
  return times;
}

void CellRunner::run_spell(const Cell& cell, int first, int end, CellTimes& times) {
  for (int repetition = first; repetition < end; ++repetition) {
    const int root = root_of(cell, repetition);
    const std::int64_t delay_ns =
        arrival_delays_ns(options_.arrivals, repetition, root)[static_cast<std::size_t>(rank_)];
    const std::int64_t start_ns = common_start_.agree(options_.margin_ns);
    sweep();
    wait_until(start_ns + delay_ns, core_for_each_rank_);
    const std::int64_t arrival_ns = now_ns();
    call(cell, root);
    times.add(clock_, start_ns + delay_ns, arrival_ns, now_ns());
    times.start_ns.push_back(clock_.to_common(start_ns));
  }
}

void CellRunner::sweep() {
  constexpr std::int64_t kCacheLine = 64;
  volatile std::byte* const memory = swept_.get();
  for (std::int64_t at = 0; at < options_.sweep_bytes; at += kCacheLine) memory[at] = std::byte{1};
}

void CellRunner::call(const Cell& cell, int root) {
  const auto count =
      static_cast<int>(static_cast<std::size_t>(cell.bytes) / options_.element.bytes);
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
    counts_[rank] = count;
    displacements_[rank] = static_cast<int>(rank) * count;
  }
  CallArguments arguments{.send = send_.get(),
                          .receive = receive_.get(),
                          .count = count,
                          .type = options_.element.mpi,
                          .root = root,
                          .comm = MPI_COMM_WORLD,
                          .counts = &counts_,
                          .displacements = &displacements_};
  if (cell.collective->call) return cell.collective->call(arguments);
  for (int k = 0; k < cell.under_way; ++k) {
    arguments.receive = received(cell, k);
    cell.collective->begin(arguments, &requests_[static_cast<std::size_t>(k)]);
  }
  MPI_Waitall(cell.under_way, requests_.data(), MPI_STATUSES_IGNORE);
}

std::byte* CellRunner::received(const Cell& cell, int k) const {
  return receive_.get() + needed_bytes(cell, ranks_).receive / cell.under_way * k;
}

CellSeries CellRunner::gather(const Cell& cell, const std::string& contender,
                              const CellTimes& times) const {
  GatheredTimes all = gather_times(
      times, [&](std::int64_t repetition) { return root_of(cell, repetition); }, sync_comm_);
  CellSeries series{
      .cell = cell, .contender = contender, .calls = {}, .late_entries = all.late_entries};
  for (std::size_t index = 0; index < all.calls.size(); ++index) {
    series.calls.push_back({std::move(all.calls[index]), times.start_ns[index]});
  }
  return series;
}

int CellRunner::root_of(const Cell& cell, std::int64_t repetition) const {
  return cell.rotating ? static_cast<int>(repetition % ranks_) : options_.fixed_root;
}

}  // namespace mpiactor::bench
