#include "bench/matrix/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mpiactor::bench {
namespace {

void barrier(const CallArguments& a) { MPI_Barrier(a.comm); }

void bcast(const CallArguments& a) { MPI_Bcast(a.receive, a.count, a.type, a.root, a.comm); }

void reduce(const CallArguments& a) {
  MPI_Reduce(a.send, a.receive, a.count, a.type, MPI_SUM, a.root, a.comm);
}

void allreduce(const CallArguments& a) {
  MPI_Allreduce(a.send, a.receive, a.count, a.type, MPI_SUM, a.comm);
}

void reduce_scatter(const CallArguments& a) {
  MPI_Reduce_scatter(a.send, a.receive, a.counts->data(), a.type, MPI_SUM, a.comm);
}

void reduce_scatter_block(const CallArguments& a) {
  MPI_Reduce_scatter_block(a.send, a.receive, a.count, a.type, MPI_SUM, a.comm);
}

void allgather(const CallArguments& a) {
  MPI_Allgather(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm);
}

void allgatherv(const CallArguments& a) {
  MPI_Allgatherv(a.send, a.count, a.type, a.receive, a.counts->data(), a.displacements->data(),
                 a.type, a.comm);
}

void gather(const CallArguments& a) {
  MPI_Gather(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm);
}

void gatherv(const CallArguments& a) {
  MPI_Gatherv(a.send, a.count, a.type, a.receive, a.counts->data(), a.displacements->data(), a.type,
              a.root, a.comm);
}

void scatter(const CallArguments& a) {
  MPI_Scatter(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm);
}

void scatterv(const CallArguments& a) {
  MPI_Scatterv(a.send, a.counts->data(), a.displacements->data(), a.type, a.receive, a.count,
               a.type, a.root, a.comm);
}

void alltoall(const CallArguments& a) {
  MPI_Alltoall(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm);
}

void alltoallv(const CallArguments& a) {
  MPI_Alltoallv(a.send, a.counts->data(), a.displacements->data(), a.type, a.receive,
                a.counts->data(), a.displacements->data(), a.type, a.comm);
}

void ibarrier(const CallArguments& a, MPI_Request* request) { MPI_Ibarrier(a.comm, request); }

void ibcast(const CallArguments& a, MPI_Request* request) {
  MPI_Ibcast(a.receive, a.count, a.type, a.root, a.comm, request);
}

void ireduce(const CallArguments& a, MPI_Request* request) {
  MPI_Ireduce(a.send, a.receive, a.count, a.type, MPI_SUM, a.root, a.comm, request);
}

void iallreduce(const CallArguments& a, MPI_Request* request) {
  MPI_Iallreduce(a.send, a.receive, a.count, a.type, MPI_SUM, a.comm, request);
}

void ireduce_scatter(const CallArguments& a, MPI_Request* request) {
  MPI_Ireduce_scatter(a.send, a.receive, a.counts->data(), a.type, MPI_SUM, a.comm, request);
}

void iallgather(const CallArguments& a, MPI_Request* request) {
  MPI_Iallgather(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm, request);
}

void igather(const CallArguments& a, MPI_Request* request) {
  MPI_Igather(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm, request);
}

void iscatter(const CallArguments& a, MPI_Request* request) {
  MPI_Iscatter(a.send, a.count, a.type, a.receive, a.count, a.type, a.root, a.comm, request);
}

void ialltoall(const CallArguments& a, MPI_Request* request) {
  MPI_Ialltoall(a.send, a.count, a.type, a.receive, a.count, a.type, a.comm, request);
}

}  // namespace

const std::vector<Collective>& collectives() {
  using enum Direction;
  using enum Blocks;
  static const std::vector<Collective> rows = {
      {"barrier", kAmongAll, false, kNone, kNone, barrier},
      {"bcast", kFromRoot, false, kNone, kOne, bcast},
      {"reduce", kToRoot, true, kOne, kOne, reduce},
      {"allreduce", kAmongAll, true, kOne, kOne, allreduce},
      {"reduce_scatter", kAmongAll, true, kEachRank, kOne, reduce_scatter},
      {"reduce_scatter_block", kAmongAll, true, kEachRank, kOne, reduce_scatter_block},
      {"allgather", kAmongAll, false, kOne, kEachRank, allgather},
      {"allgatherv", kAmongAll, false, kOne, kEachRank, allgatherv},
      {"gather", kToRoot, false, kOne, kEachRank, gather},
      {"gatherv", kToRoot, false, kOne, kEachRank, gatherv},
      {"scatter", kFromRoot, false, kEachRank, kOne, scatter},
      {"scatterv", kFromRoot, false, kEachRank, kOne, scatterv},
      {"alltoall", kAmongAll, false, kEachRank, kEachRank, alltoall},
      {"alltoallv", kAmongAll, false, kEachRank, kEachRank, alltoallv},
      {"ibarrier", kAmongAll, false, kNone, kNone, nullptr, ibarrier},
      {"ibcast", kFromRoot, false, kNone, kOne, nullptr, ibcast},
      {"ireduce", kToRoot, true, kOne, kOne, nullptr, ireduce},
      {"iallreduce", kAmongAll, true, kOne, kOne, nullptr, iallreduce},
      {"ireduce_scatter", kAmongAll, true, kEachRank, kOne, nullptr, ireduce_scatter},
      {"iallgather", kAmongAll, false, kOne, kEachRank, nullptr, iallgather},
      {"igather", kToRoot, false, kOne, kEachRank, nullptr, igather},
      {"iscatter", kFromRoot, false, kEachRank, kOne, nullptr, iscatter},
      {"ialltoall", kAmongAll, false, kEachRank, kEachRank, nullptr, ialltoall},
  };
  return rows;
}

std::vector<const Collective*> parse_collectives(std::string_view list) {
  std::vector<const Collective*> chosen;
  if (list == "all") {
    for (const Collective& row : collectives()) chosen.push_back(&row);
    return chosen;
  }
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    const auto row = std::find_if(collectives().begin(), collectives().end(),
                                  [&](const Collective& entry) { return entry.name == name; });
    if (row == collectives().end()) {
      std::string names = "all";
      for (const Collective& entry : collectives()) names += fmt::format(", {}", entry.name);
      throw std::invalid_argument(
          fmt::format("'{}' is not a collective: choose from {}", name, names));
    }
    if (std::find(chosen.begin(), chosen.end(), &*row) != chosen.end()) {
      throw std::invalid_argument(fmt::format("collective '{}' is given twice", name));
    }
    chosen.push_back(&*row);
    if (comma == std::string_view::npos) return chosen;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace mpiactor::bench
