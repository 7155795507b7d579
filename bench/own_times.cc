#include "bench/own_times.h"

#include <cstddef>
#include <utility>

namespace mpiactor::bench {
namespace {

constexpr std::int64_t kLateEntryNs = 1'000'000;

}  // namespace

void OwnTimes::add(const CommonClock& clock, std::int64_t planned_ns, std::int64_t arrived_ns,
                   std::int64_t left_ns) {
  arrival_ns.push_back(clock.to_common(arrived_ns));
  exit_ns.push_back(clock.to_common(left_ns));
  if (arrived_ns - planned_ns > kLateEntryNs) ++late_entries;
}

GatheredTimes gather_times(const OwnTimes& own, const std::function<int(std::int64_t)>& root_of,
                           MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const auto calls = own.arrival_ns.size();
  const std::size_t total = rank == 0 ? calls * static_cast<std::size_t>(ranks) : 0;
  std::vector<std::int64_t> arrivals(total), exits(total);
  const auto count = static_cast<int>(calls);
  PMPI_Gather(own.arrival_ns.data(), count, MPI_INT64_T, arrivals.data(), count, MPI_INT64_T, 0,
              comm);
  PMPI_Gather(own.exit_ns.data(), count, MPI_INT64_T, exits.data(), count, MPI_INT64_T, 0, comm);
  GatheredTimes all;
  PMPI_Reduce(&own.late_entries, &all.late_entries, 1, MPI_INT64_T, MPI_SUM, 0, comm);
  if (rank != 0) return all;
  for (std::size_t index = 0; index < calls; ++index) {
    CallTimes call{
        .root = root_of(static_cast<std::int64_t>(index)), .arrival_ns = {}, .exit_ns = {}};
    for (std::size_t entry = index; entry < total; entry += calls) {
      call.arrival_ns.push_back(arrivals[entry]);
      call.exit_ns.push_back(exits[entry]);
    }
    all.calls.push_back(std::move(call));
  }
  return all;
}

}  // namespace mpiactor::bench
