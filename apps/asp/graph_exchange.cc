#include "apps/asp/graph_exchange.h"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "apps/common/machine_memory.h"

namespace mpiactor::asp {

void broadcast_graph(Graph& graph, MPI_Comm comm) {
  std::int64_t sizes[2] = {graph.vertices, static_cast<std::int64_t>(graph.arcs.size())};
  MPI_Bcast(sizes, 2, MPI_INT64_T, 0, comm);
  graph.vertices = static_cast<std::int32_t>(sizes[0]);
  graph.arcs.resize(static_cast<std::size_t>(sizes[1]));
  static_assert(std::is_trivially_copyable_v<Arc> && sizeof(Arc) == 3 * sizeof(std::int32_t));
  constexpr std::int64_t kArcsAtOnce = 1 << 24;  // counts of MPI calls are 32-bit
  for (std::int64_t begin = 0; begin < sizes[1]; begin += kArcsAtOnce) {
    const auto arcs = static_cast<int>(std::min(kArcsAtOnce, sizes[1] - begin));
    MPI_Bcast(&graph.arcs[static_cast<std::size_t>(begin)], 3 * arcs, MPI_INT32_T, 0, comm);
  }
}

DistanceSummary summarize_all(const DistanceRows& rows, MPI_Comm comm) {
  const DistanceSummary mine = summarize(rows);
  DistanceSummary all;
  MPI_Allreduce(&mine.reachable, &all.reachable, 1, MPI_UINT64_T, MPI_SUM, comm);
  MPI_Allreduce(&mine.sum, &all.sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  MPI_Allreduce(&mine.max, &all.max, 1, MPI_INT32_T, MPI_MAX, comm);
  return all;
}

void visit_rows_on_root(const DistanceRows& rows, const apps::BlockRanges& blocks, MPI_Comm comm,
                        const std::function<void(const Distance* row)>& consume) {
  constexpr int kTag = 1;
  constexpr std::size_t kBufferEntries = 1 << 20;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const std::size_t stride = rows.stride();
  const auto rows_at_once =
      static_cast<std::int32_t>(std::max(kBufferEntries / stride, std::size_t{1}));
  std::vector<Distance> buffer;
  for (int owner = 0; owner < ranks; ++owner) {
    if (rank != 0 && rank != owner) continue;
    const std::int32_t end = blocks.end(owner);
    for (std::int32_t begin = blocks.begin(owner); begin < end; begin += rows_at_once) {
      const std::int32_t count = std::min(rows_at_once, end - begin);
      const auto entries = static_cast<int>(static_cast<std::size_t>(count) * stride);
      if (rank != 0) {
        MPI_Send(rows.row(begin), entries, MPI_INT32_T, 0, kTag, comm);
        continue;
      }
      const Distance* source = nullptr;
      if (owner == 0) {
        source = rows.row(begin);
      } else {
        buffer.resize(static_cast<std::size_t>(entries));
        MPI_Recv(buffer.data(), entries, MPI_INT32_T, owner, kTag, comm, MPI_STATUS_IGNORE);
        source = buffer.data();
      }
      for (std::int32_t i = 0; i < count; ++i) {
        consume(source + static_cast<std::size_t>(i) * stride);
      }
    }
  }
}

void check_memory(const apps::BlockRanges& blocks, std::int32_t vertices, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  apps::check_machine_memory(DistanceRows::bytes(blocks.count(rank), vertices),
                             fmt::format("the distances of {} vertices", vertices),
                             "use more machines or a smaller graph", comm);
}

}  // namespace mpiactor::asp
