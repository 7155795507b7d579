// pingpong: half a round trip between two ranks at many sizes ([K-perf]'s PingPong).
//
// A plain MPI program. Messages go from rank 0 to the lowest rank of another node (on one node: to
// rank 1) and back; all other ranks sleep meanwhile.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/byte_size.h"
#include "bench/clock.h"
#include "bench/common_start.h"
#include "bench/job_facts.h"
#include "bench/json_report.h"
#include "bench/payload.h"
#include "bench/pingpong/pingpong_options.h"
#include "bench/program.h"
#include "bench/statistics.h"

namespace mpiactor::bench {
namespace {

constexpr const char* kProgram = "pingpong";
constexpr int kWarmUpTrips = 6;
constexpr int kTimedWarmUpTrips = 4;  // of them: tell how many trips there is time for
constexpr int kLeastTrips = 5;
constexpr int kMostTrips = 100'000;

int partner_in(const NodeMap& nodes) {
  const auto other =
      std::find_if(nodes.begin(), nodes.end(), [&](int node) { return node != nodes.front(); });
  return other == nodes.end() ? 1 : static_cast<int>(other - nodes.begin());
}

class PingPong {
 public:
  PingPong(MPI_Comm sync_comm, int partner) : sync_comm_(sync_comm), partner_(partner) {
    PMPI_Comm_rank(sync_comm, &rank_);
  }

  bool takes_part() const { return rank_ == 0 || rank_ == partner_; }

  // Rank 0: half of each timed round trip, in us. Throws JobFailed on a rank that gets wrong data.
  std::vector<double> run(std::int64_t bytes, double cell_us) {
    std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
    double timed_us = 0;
    for (int trip = 0; trip < kWarmUpTrips; ++trip) {
      if (rank_ == 0) fill_payload(buffer, static_cast<std::uint64_t>(trip));
      const double took_us = round_trip(buffer);
      if (trip >= kWarmUpTrips - kTimedWarmUpTrips) timed_us += took_us / kTimedWarmUpTrips;
      check(buffer, static_cast<std::uint64_t>(trip));
    }
    int trips = std::clamp(static_cast<int>(std::min(cell_us / std::max(timed_us, 0.01), 1e9)),
                           kLeastTrips, kMostTrips);
    if (rank_ == 0) {
      PMPI_Send(&trips, 1, MPI_INT, partner_, 0, sync_comm_);
    } else {
      PMPI_Recv(&trips, 1, MPI_INT, 0, 0, sync_comm_, MPI_STATUS_IGNORE);
    }
    std::vector<double> halves_us;
    for (int trip = 0; trip < trips; ++trip) halves_us.push_back(round_trip(buffer) / 2);
    return halves_us;
  }

 private:
  double round_trip(std::vector<std::byte>& buffer) const {
    const auto count = static_cast<int>(buffer.size());
    const std::int64_t begin_ns = now_ns();
    if (rank_ == 0) {
      MPI_Send(buffer.data(), count, MPI_BYTE, partner_, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer.data(), count, MPI_BYTE, partner_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return static_cast<double>(now_ns() - begin_ns) / 1e3;
  }

  void check(const std::vector<std::byte>& buffer, std::uint64_t trip) const {
    const auto wrong = find_wrong_bytes(buffer, trip);
    if (!wrong) return;
    throw JobFailed(
        fmt::format("rank {} got wrong data: {} bytes, trip {}, first wrong bytes at {}", rank_,
                    buffer.size(), trip, *wrong));
  }

  MPI_Comm sync_comm_;
  int partner_;
  int rank_ = 0;
};

nlohmann::ordered_json result_json(std::int64_t bytes, const std::string& label,
                                   const std::vector<double>& halves_us) {
  const Distribution half = describe(halves_us);
  fmt::print("{:>8} {:>12} {:>8} {:>12.2f} {:>12.2f}\n", format_byte_size(bytes), label,
             halves_us.size(), half.p50, static_cast<double>(bytes) / half.p50);
  return {{"bytes", bytes},
          {"contender", label},
          {"calls", halves_us.size()},
          {"half_round_trip_us", distribution_json(half)}};
}

int run(const PingPongOptions& options, MPI_Comm sync_comm) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(sync_comm, &rank);
  PMPI_Comm_size(sync_comm, &ranks);
  JsonReport json(kProgram, options.json_path);
  if (rank0_failed(sync_comm, kProgram, ranks < 2 ? "1 rank; messages need at least 2" : "") ||
      !json.open(sync_comm)) {
    return kFailure;
  }

  const NodeMap nodes = options.nodes.empty() ? machine_nodes(sync_comm) : options.nodes;
  const CommonClock clock(sync_comm, ClockMethod::kAuto);
  const JobFacts facts = collect_facts(sync_comm, clock);
  const int partner = partner_in(nodes);
  const bool core_for_each_rank = facts.ranks_per_kernel <= facts.cores;
  const CommonStart common_start(sync_comm, clock, core_for_each_rank && ranks == 2);
  PingPong pingpong(sync_comm, partner);
  nlohmann::ordered_json report = {{"benchmark", kProgram},
                                   {"settings", {{"cell_ms", options.cell_ms}}},
                                   {"job", job_json(facts, nodes)},
                                   {"partner", partner},
                                   {"results", nlohmann::ordered_json::array()}};
  if (rank == 0) {
    fmt::print("pingpong: ranks 0 and {} of {}, {}\n{:>8} {:>12} {:>8} {:>12} {:>12}\n", partner,
               ranks, facts.mpi_library, "size", "contender", "trips", "half, us", "MB/s");
  }
  for (const std::int64_t bytes : options.sizes_bytes) {
    common_start.agree(0);
    std::vector<double> halves_us;
    if (pingpong.takes_part()) halves_us = pingpong.run(bytes, options.cell_ms * 1e3);
    if (rank == 0) report["results"].push_back(result_json(bytes, options.label, halves_us));
  }
  common_start.agree(0);
  return json.write(report);
}

}  // namespace
}  // namespace mpiactor::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using namespace mpiactor::bench;
  const int exit_code = parse_and_run(kProgram, argc, argv, parse_pingpong_options, run);
  MPI_Finalize();
  return exit_code;
}
