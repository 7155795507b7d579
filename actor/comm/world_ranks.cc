#include "actor/comm/world_ranks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace mpiactor {

std::vector<int> world_ranks_of(MPI_Comm comm) {
  MPI_Group group;
  MPI_Group world_group;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group, world_ranks.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  if (std::find(world_ranks.begin(), world_ranks.end(), MPI_UNDEFINED) != world_ranks.end()) {
    return {};
  }
  return world_ranks;
}

}  // namespace mpiactor
