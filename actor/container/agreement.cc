#include "actor/container/agreement.h"

#include <climits>

#include "inter/messages.h"

namespace mpiactor {
namespace {

constexpr const char* kWhat = "agreeing with the other ranks";

#ifdef OPEN_MPI
// Its MPI_Comm_idup has nonblocking collectives on the communicator, at moments of each rank's own:
// none of the runtime's may be among them. Its blocking ones give way by themselves.
void allreduce(void* words, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  inter::check_mpi(PMPI_Allreduce(MPI_IN_PLACE, words, count, type, op, comm), kWhat);
}

void bcast(void* data, int bytes, MPI_Comm comm) {
  inter::check_mpi(PMPI_Bcast(data, bytes, MPI_BYTE, 0, comm), kWhat);
}

void allgather(const void* mine, int bytes, void* all, MPI_Comm comm) {
  inter::check_mpi(PMPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm), kWhat);
}
#else
// Its blocking collectives keep the core.
void finish(int error, MPI_Request& request) {
  inter::check_mpi(error, kWhat);
  inter::check_mpi(inter::wait_giving_way(request), kWhat);
}

void allreduce(void* words, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  finish(PMPI_Iallreduce(MPI_IN_PLACE, words, count, type, op, comm, &request), request);
}

void bcast(void* data, int bytes, MPI_Comm comm) {
  MPI_Request request;
  finish(PMPI_Ibcast(data, bytes, MPI_BYTE, 0, comm, &request), request);
}

void allgather(const void* mine, int bytes, void* all, MPI_Comm comm) {
  MPI_Request request;
  finish(PMPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &request), request);
}
#endif

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
  bcast(data, static_cast<int>(bytes), comm_);
}

void Agreement::collect(const void* mine, std::size_t bytes, void* all) const {
  allgather(mine, static_cast<int>(bytes), all, comm_);
}

}  // namespace mpiactor
