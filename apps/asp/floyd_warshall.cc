#include "apps/asp/floyd_warshall.h"

#include <algorithm>

namespace mpiactor::asp {
namespace {

double seconds(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}

}  // namespace

PhaseTimes floyd_warshall(DistanceRows& rows, const apps::BlockRanges& blocks, std::int32_t batch,
                          const RelaxStep& relax, MPI_Comm comm, apps::ArrivalLog& arrivals,
                          apps::Progress& progress) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::int32_t vertices = rows.columns();
  PhaseTimes times;
  // Owners broadcast a copy too: their own row changes while other rows are relaxed by it.
  DistanceRows copies(0, std::min(batch, vertices), vertices);
  const std::int64_t start_ns = apps::monotonic_ns();
  std::int64_t now_ns = start_ns;

  for (std::int32_t first = 0; first < vertices; first += batch) {
    const std::int32_t last = std::min(first + batch, vertices);
    for (std::int32_t k = first; k < last; ++k) {
      const int owner = blocks.owner(k);
      Distance* pivot = copies.row(k - first);
      if (owner == rank) std::copy_n(rows.row(k), vertices, pivot);

      const std::int64_t entry_ns = apps::monotonic_ns();
      times.compute_s += seconds(now_ns, entry_ns);
      arrivals.record(entry_ns);
      MPI_Bcast(pivot, vertices, MPI_INT32_T, owner, comm);
      now_ns = apps::monotonic_ns();
      times.broadcast_s += seconds(entry_ns, now_ns);

      const std::int32_t due_begin = std::max(k + 1, rows.begin());
      const std::int32_t due_end = std::min(last, rows.end());
      relax_rows(rows, due_begin, due_end, {pivot, copies.stride(), k, 1});
    }
    relax(rows, {copies.row(0), copies.stride(), first, last - first}, now_ns);
    progress.update(last, now_ns);
  }
  const std::int64_t end_ns = apps::monotonic_ns();
  times.compute_s += seconds(now_ns, end_ns);
  times.total_s = seconds(start_ns, end_ns);
  return times;
}

}  // namespace mpiactor::asp
