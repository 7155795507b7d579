#include "apps/common/asleep.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "apps/common/arrivals.h"
#include "apps/common/broadcast_floor.h"

namespace mpiactor::apps {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr int kTurnTag = 1;

// An empty message from any rank, which other ranks' work shall not notice being waited for.
void receive_asleep(MPI_Comm comm) {
  constexpr std::int64_t kLookEveryNs = 2'000'000;
  for (int is_there = 0; is_there == 0;) {
    MPI_Iprobe(MPI_ANY_SOURCE, kTurnTag, comm, &is_there, MPI_STATUS_IGNORE);
    if (is_there == 0) sleep_until(monotonic_ns() + kLookEveryNs);
  }
  MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, kTurnTag, comm, MPI_STATUS_IGNORE);
}

void send_empty(int rank, MPI_Comm comm) { MPI_Send(nullptr, 0, MPI_BYTE, rank, kTurnTag, comm); }

}  // namespace

std::int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * kNsPerSecond + now.tv_nsec;
}

void UnitCosts::add(std::int64_t cpu_ns, std::int64_t units) {
  unit_ns_.push_back(static_cast<double>(cpu_ns) / static_cast<double>(units));
}

double UnitCosts::draw(std::int64_t units, std::mt19937_64& random) const {
  if (units == 0) return 0.0;
  if (unit_ns_.empty()) throw std::logic_error("no sample of " + kind_ + " was taken");
  return static_cast<double>(units) * unit_ns_[random() % unit_ns_.size()];
}

double UnitCosts::mean_ns() const {
  if (unit_ns_.empty()) return 0.0;
  return std::accumulate(unit_ns_.begin(), unit_ns_.end(), 0.0) /
         static_cast<double>(unit_ns_.size());
}

std::mt19937_64 step_random(std::uint64_t seed, int rank) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(rank)};
  return std::mt19937_64(sequence);
}

void await_turn(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank > 0) receive_asleep(comm);
}

void pass_turn(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (rank + 1 < ranks) {
    send_empty(rank + 1, comm);
    receive_asleep(comm);
    return;
  }
  for (int other = 0; other < rank; ++other) send_empty(other, comm);
}

double SleptSteps::floor_broadcast_s(const std::vector<int>& roots, MPI_Comm comm) const {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const std::size_t steps = roots.size();
  std::vector<double> mine(steps);
  for (std::size_t step = 0; step < steps; ++step) mine[step] = length_ns(step);
  std::vector<double> all(rank == 0 ? static_cast<std::size_t>(ranks) * steps : 0);
  MPI_Gather(mine.data(), static_cast<int>(steps), MPI_DOUBLE, all.data(), static_cast<int>(steps),
             MPI_DOUBLE, 0, comm);
  return rank == 0 ? floor_of_program_s(roots, all) : 0.0;
}

AsleepReport SleptSteps::report(const std::vector<int>& roots, MPI_Comm comm) const {
  AsleepReport report;
  report.settings = settings_;
  report.asked_s = over_ranks(sleeper_.asked_s(), comm).mean;
  report.spent_s = over_ranks(sleeper_.spent_s(), comm).mean;
  report.floor_broadcast_s = floor_broadcast_s(roots, comm);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  for (const UnitCosts& kind : costs_) {
    report.kinds.push_back(kind.kind());
    report.unit_ns.push_back(over_ranks(kind.mean_ns(), comm));
    std::vector<double> mine = kind.samples();
    mine.resize(kCostSamples);
    std::vector<double>& all = report.samples_ns.emplace_back(
        static_cast<std::size_t>(ranks) * static_cast<std::size_t>(kCostSamples));
    MPI_Gather(mine.data(), kCostSamples, MPI_DOUBLE, all.data(), kCostSamples, MPI_DOUBLE, 0,
               comm);
  }
  return report;
}

std::string to_text(const std::string& program, const AsleepReport& report) {
  std::string text = fmt::format(
      "{0}: computing=asleep: steps were slept, not computed, and results are not there\n"
      "{0}: asleep seed={1} samples={2} slower={3} asked_s={4:.6f} spent_s={5:.6f} "
      "floor_broadcast_s={6:.6f}",
      program, report.settings.seed, kCostSamples, report.settings.slower, report.asked_s,
      report.spent_s, report.floor_broadcast_s);
  for (std::size_t i = 0; i < report.kinds.size(); ++i) {
    text += fmt::format(" {}_ns={:.1f}", report.kinds[i], report.unit_ns[i].mean);
  }
  return text;
}

nlohmann::ordered_json to_json(const AsleepReport& report) {
  nlohmann::ordered_json json = {
      {"seed", report.settings.seed}, {"slower", report.settings.slower},
      {"samples", kCostSamples},      {"asked_s", report.asked_s},
      {"spent_s", report.spent_s},    {"floor_broadcast_s", report.floor_broadcast_s}};
  for (std::size_t i = 0; i < report.kinds.size(); ++i) {
    json["unit_ns"][report.kinds[i]] = report.unit_ns[i].mean;
    auto& ranks = json["samples_ns"][report.kinds[i]];
    const std::vector<double>& samples = report.samples_ns[i];
    for (auto mine = samples.begin(); mine != samples.end(); mine += kCostSamples) {
      ranks.push_back(std::vector<double>(mine, mine + kCostSamples));
    }
  }
  return json;
}

}  // namespace mpiactor::apps
