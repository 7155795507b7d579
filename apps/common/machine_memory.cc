#include "apps/common/machine_memory.h"

#include <fmt/core.h>
#include <unistd.h>

#include <stdexcept>

namespace mpiactor::apps {

void check_machine_memory(double bytes, const std::string& what, const std::string& advice,
                          MPI_Comm comm) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  double together = 0.0;
  MPI_Allreduce(&bytes, &together, 1, MPI_DOUBLE, MPI_SUM, machine);
  MPI_Comm_free(&machine);
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (together <= memory) return;
  constexpr double kMiB = 1 << 20;
  throw std::runtime_error(
      fmt::format("{} take {:.0f} MiB on this machine, which has {:.0f} MiB; {}", what,
                  together / kMiB, memory / kMiB, advice));
}

}  // namespace mpiactor::apps
