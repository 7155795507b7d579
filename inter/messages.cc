#include "inter/messages.h"

#include <sched.h>

#include <stdexcept>
#include <string>

namespace mpiactor::inter {

int message_tag(std::uint64_t number, MessageKind kind, int channel) {
  return static_cast<int>(number % (comm_places * kSequenceWindow) << 12) |
         static_cast<int>(kind) << 10 | channel;
}

bool take_back(MPI_Request& request) {
  MPI_Status status;
  int cancelled = 0;
  PMPI_Cancel(&request);
  PMPI_Wait(&request, &status);
  PMPI_Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

void check_mpi(int error, const char* what) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  PMPI_Error_string(error, text, &length);
  throw std::runtime_error(std::string(what) + ": " +
                           std::string(text, static_cast<std::size_t>(length)));
}

int end_if_over(MPI_Request& send, bool& is_over) {
  int flag = 0;
  const int error = PMPI_Request_get_status(send, &flag, MPI_STATUS_IGNORE);
  is_over = flag != 0;
  return is_over ? PMPI_Wait(&send, MPI_STATUS_IGNORE) : error;
}

int wait_giving_way(MPI_Request& request) {
  for (;;) {
    int is_over = 0;
    const int error = PMPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    if (is_over || error != MPI_SUCCESS) return error;
    sched_yield();
  }
}

MPI_Comm duplicate(MPI_Comm comm, const char* what) {
  MPI_Comm copy;
  MPI_Request request;
  check_mpi(PMPI_Comm_idup(comm, &copy, &request), what);
  check_mpi(wait_giving_way(request), what);
  PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

}  // namespace mpiactor::inter
