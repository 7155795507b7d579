#include "actor/collectives/mail.h"

#include <utility>

#include "inter/messages.h"

namespace mpiactor {
int Mail::tag(MailKind kind) const {
  return inter::message_tag(number_, inter::MessageKind::kData, static_cast<int>(kind));
}

int Mail::source(int rank) const { return rank == MPI_ANY_SOURCE ? rank : ranks_.to(rank); }

Mail::Id Mail::add(MPI_Request request) {
  requests_.push_back(request);
  bytes_.push_back(0);
  ++open_;
  return requests_.size() - 1;
}

Mail::Id Mail::send(const std::byte* data, std::uint64_t bytes, int rank, MailKind kind,
                    bool synchronous) {
  MPI_Request request;
  const auto count = static_cast<MPI_Count>(bytes);
  const int to = ranks_.to(rank);
  const int error = synchronous
                        ? PMPI_Issend_c(data, count, MPI_BYTE, to, tag(kind), comm_, &request)
                        : PMPI_Isend_c(data, count, MPI_BYTE, to, tag(kind), comm_, &request);
  inter::check_mpi(error, "sending to another node");
  return add(request);
}

Mail::Id Mail::send(std::vector<std::byte> data, int rank, MailKind kind, bool synchronous) {
  kept_.push_back(std::move(data));
  return send(kept_.back().data(), kept_.back().size(), rank, kind, synchronous);
}

// A persistent request: the MPI library takes errors of others to MPI_COMM_WORLD's handler.
Mail::Id Mail::receive(std::byte* data, std::uint64_t bytes, int rank, MailKind kind) {
  MPI_Request request;
  int error = PMPI_Recv_init_c(data, static_cast<MPI_Count>(bytes), MPI_BYTE, source(rank),
                               tag(kind), comm_, &request);
  if (error == MPI_SUCCESS) error = PMPI_Start(&request);
  inter::check_mpi(error, "receiving from another node");
  return add(request);
}

void Mail::take_back(Id id) {
  PMPI_Cancel(&requests_[id]);
  PMPI_Wait(&requests_[id], MPI_STATUS_IGNORE);
  forget(id);
}

void Mail::forget(Id id) {
  if (requests_[id] != MPI_REQUEST_NULL) PMPI_Request_free(&requests_[id]);
  --open_;
}

std::optional<Mail::Letter> Mail::find(MailKind kind, int rank) const {
  int found = 0;
  Letter letter;
  MPI_Status status;
  inter::check_mpi(PMPI_Improbe(source(rank), tag(kind), comm_, &found, &letter.message, &status),
                   "looking for a message from another node");
  if (!found) return std::nullopt;
  MPI_Count count = 0;
  PMPI_Get_count_c(&status, MPI_BYTE, &count);
  letter.rank = ranks_.from(status.MPI_SOURCE);
  letter.bytes = static_cast<std::uint64_t>(count);
  return letter;
}

Mail::Id Mail::receive(Letter& letter, std::byte* to) {
  MPI_Request request;
  inter::check_mpi(
      PMPI_Imrecv_c(to, static_cast<MPI_Count>(letter.bytes), MPI_BYTE, &letter.message, &request),
      "receiving from another node");
  return add(request);
}

// Ends it where it can be; true then.
bool Mail::complete(Id id) {
  int ended = 0;
  MPI_Status status;
  const int error = PMPI_Test(&requests_[id], &ended, &status);
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(error, &error_class);
  if (error_class == MPI_ERR_TRUNCATE) {
    any_truncated_ = true;
  } else {
    inter::check_mpi(error, "completing a message");
    if (!ended) return false;
  }
  MPI_Count bytes = 0;
  PMPI_Get_count_c(&status, MPI_BYTE, &bytes);
  bytes_[id] = static_cast<std::uint64_t>(bytes);
  forget(id);
  return true;
}

// One after the other up to one that has not ended.
bool Mail::progress() {
  const std::size_t before = open_;
  while (open_ != 0) {
    if (next_ == requests_.size()) next_ = 0;
    const Id id = next_++;
    if (!is_done(id) && !complete(id)) break;
  }
  return open_ != before;
}

}  // namespace mpiactor
