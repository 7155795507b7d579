#include "apps/vcc/correlate_all.h"

#include "apps/vcc/exchange.h"

namespace mpiactor::vcc {
namespace {

double seconds(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}

}  // namespace

PhaseTimes correlate_all(Columns& own, const Layout& layout, const std::vector<Piece>& order,
                         const CorrelateStep& correlate, ResultRows& results, MPI_Comm comm,
                         apps::ArrivalLog& arrivals, apps::Progress& progress) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  PhaseTimes times;
  Columns received(0, layout.tile_width(), own.observations());
  const std::int64_t start_ns = apps::monotonic_ns();
  std::int64_t now_ns = start_ns;

  for (std::size_t number = 0; number < order.size(); ++number) {
    const Piece& piece = order[number];
    double* values = piece.owner == rank ? own.column(piece.first) : received.column(0);
    const auto count = static_cast<int>(piece.count * own.stride());

    const std::int64_t entry_ns = apps::monotonic_ns();
    times.compute_s += seconds(now_ns, entry_ns);
    arrivals.record(entry_ns);
    MPI_Bcast(values, count, MPI_DOUBLE, piece.owner, comm);
    now_ns = apps::monotonic_ns();
    times.broadcast_s += seconds(entry_ns, now_ns);

    correlate(number, values, now_ns);
    progress.update(static_cast<std::int64_t>(number) + 1, now_ns);
  }
  const std::int64_t computed_ns = apps::monotonic_ns();
  times.compute_s += seconds(now_ns, computed_ns);
  mirror(results, layout, comm);
  const std::int64_t end_ns = apps::monotonic_ns();
  times.exchange_s = seconds(computed_ns, end_ns);
  times.total_s = seconds(start_ns, end_ns);
  return times;
}

}  // namespace mpiactor::vcc
