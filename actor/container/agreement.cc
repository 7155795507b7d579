#include "actor/container/agreement.h"

#include <climits>

#include "actor/abi/handles.h"
#include "inter/messages.h"

namespace mpiactor {
namespace {

void check(int error) { inter::check_mpi(error, "agreeing with the other ranks"); }

}  // namespace

// Predefined handlers are nobody's.
ErrorHandler::~ErrorHandler() {
  if (!is_predefined(handler_)) PMPI_Errhandler_free(&handler_);
}

bool Agreement::all(bool mine) const {
  int agreed = mine;
  check(PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT, MPI_MIN, comm_));
  return agreed != 0;
}

bool Agreement::all(bool mine, std::string& why) const {
  int rank = 0;
  PMPI_Comm_rank(comm_, &rank);
  int first_against = mine ? INT_MAX : rank;
  check(PMPI_Allreduce(MPI_IN_PLACE, &first_against, 1, MPI_INT, MPI_MIN, comm_));
  if (first_against != rank) why.clear();
  return first_against == INT_MAX;
}

void Agreement::intersect(std::span<std::uint64_t> words) const {
  check(PMPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_UINT64_T,
                       MPI_BAND, comm_));
}

void Agreement::share(void* data, std::size_t bytes) const {
  check(PMPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, comm_));
}

void Agreement::collect(const void* mine, std::size_t bytes, void* all) const {
  const auto count = static_cast<int>(bytes);
  check(PMPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_));
}

}  // namespace mpiactor
