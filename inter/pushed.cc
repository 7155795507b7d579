#include "inter/pushed.h"

#include <cstring>

namespace mpiactor::inter {

std::optional<KeptBytes> take_pushed(MPI_Comm comm, std::uint64_t number) {
  int found = 0;
  MPI_Message message;
  MPI_Status status;
  check_mpi(PMPI_Improbe(MPI_ANY_SOURCE, message_tag(number, MessageKind::kPush), comm, &found,
                         &message, &status),
            "looking for a pushed message");
  if (!found) return std::nullopt;
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  KeptBytes pushed(static_cast<std::uint64_t>(bytes));
  check_mpi(PMPI_Mrecv(pushed.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE),
            "receiving a pushed message");
  return pushed;
}

PushHeader header_of(const KeptBytes& pushed) {
  PushHeader header;
  std::memcpy(&header, pushed.data(), sizeof header);
  return header;
}

void pass_on(const KeptBytes& pushed, MPI_Comm comm, std::uint64_t number, int rank,
             const std::function<void()>& pause) {
  MPI_Request request;
  check_mpi(PMPI_Isend(pushed.data(), static_cast<int>(pushed.size()), MPI_BYTE, rank,
                       message_tag(number, MessageKind::kPush), comm, &request),
            "passing a message on to a leader");
  for (int sent = 0; !sent;) {
    check_mpi(PMPI_Test(&request, &sent, MPI_STATUS_IGNORE), "passing a message on to a leader");
    if (!sent) pause();
  }
}

}  // namespace mpiactor::inter
