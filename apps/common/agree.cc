#include "apps/common/agree.h"

#include <fmt/core.h>

#include <cstdio>

namespace mpiactor::apps {

void agree(const std::string& program, const std::string& error, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int mine = error.empty() ? ranks : rank;
  int lowest = ranks;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm);
  if (lowest == ranks) return;
  if (lowest == rank) {
    fmt::print(stderr, "{}: {}\n", program, error);
    std::fflush(stderr);
  }
  throw AgreedFailure();
}

bool run_each_agreed(const std::string& program, MPI_Comm comm,
                     std::initializer_list<std::function<void()>> steps) {
  bool all = true;
  for (const auto& step : steps) {
    try {
      run_agreed(program, comm, step);
    } catch (const AgreedFailure&) {
      all = false;
    }
  }
  return all;
}

}  // namespace mpiactor::apps
