#include "actor/container/agreement.h"

#include <climits>

#include "inter/messages.h"

namespace mpiactor {
namespace {

// Of a nonblocking collective.
void finish(int error, MPI_Request& request) {
  constexpr const char* kWhat = "agreeing with the other ranks";
  inter::check_mpi(error, kWhat);
  inter::check_mpi(inter::wait_giving_way(request), kWhat);
}

void allreduce(void* words, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  finish(PMPI_Iallreduce(MPI_IN_PLACE, words, count, type, op, comm, &request), request);
}

}  // namespace

bool Agreement::all(bool mine) const {
  int agreed = mine;
  allreduce(&agreed, 1, MPI_INT, MPI_MIN, comm_);
  return agreed != 0;
}

bool Agreement::all(bool mine, std::string& why) const {
  int rank = 0;
  PMPI_Comm_rank(comm_, &rank);
  int first_against = mine ? INT_MAX : rank;
  allreduce(&first_against, 1, MPI_INT, MPI_MIN, comm_);
  if (first_against != rank) why.clear();
  return first_against == INT_MAX;
}

void Agreement::intersect(std::span<std::uint64_t> words) const {
  allreduce(words.data(), static_cast<int>(words.size()), MPI_UINT64_T, MPI_BAND, comm_);
}

void Agreement::share(void* data, std::size_t bytes) const {
  MPI_Request request;
  finish(PMPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, comm_, &request), request);
}

void Agreement::collect(const void* mine, std::size_t bytes, void* all) const {
  const auto count = static_cast<int>(bytes);
  MPI_Request request;
  finish(PMPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_, &request), request);
}

}  // namespace mpiactor
