#include "actor/between/point_to_point.h"

#include <utility>

#include "inter/messages.h"

namespace mpiactor {
int PointToPoint::tag(Kind kind) const {
  return inter::message_tag(number_, inter::MessageKind::kData, static_cast<int>(kind));
}

int PointToPoint::source(int rank) const { return rank == MPI_ANY_SOURCE ? rank : ranks_.to(rank); }

PointToPoint::Id PointToPoint::add(MPI_Request request) {
  requests_.push_back(request);
  bytes_.push_back(0);
  ++open_;
  return requests_.size() - 1;
}

PointToPoint::Id PointToPoint::send(const std::byte* data, std::uint64_t bytes, int rank, Kind kind,
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

PointToPoint::Id PointToPoint::send(std::vector<std::byte> data, int rank, Kind kind,
                                    bool synchronous) {
  kept_.push_back(std::move(data));
  return send(kept_.back().data(), kept_.back().size(), rank, kind, synchronous);
}

// A persistent request: the MPI library takes errors of others to MPI_COMM_WORLD's handler.
PointToPoint::Id PointToPoint::receive(std::byte* data, std::uint64_t bytes, int rank, Kind kind) {
  MPI_Request request;
  int error = PMPI_Recv_init_c(data, static_cast<MPI_Count>(bytes), MPI_BYTE, source(rank),
                               tag(kind), comm_, &request);
  if (error == MPI_SUCCESS) error = PMPI_Start(&request);
  inter::check_mpi(error, "receiving from another node");
  return add(request);
}

void PointToPoint::take_back(Id id) {
  PMPI_Cancel(&requests_[id]);
  PMPI_Wait(&requests_[id], MPI_STATUS_IGNORE);
  forget(id);
}

void PointToPoint::forget(Id id) {
  if (requests_[id] != MPI_REQUEST_NULL) PMPI_Request_free(&requests_[id]);
  --open_;
}

std::optional<PointToPoint::Message> PointToPoint::find(Kind kind, int rank) const {
  int found = 0;
  Message message;
  MPI_Status status;
  inter::check_mpi(PMPI_Improbe(source(rank), tag(kind), comm_, &found, &message.message, &status),
                   "looking for a message from another node");
  if (!found) return std::nullopt;
  MPI_Count count = 0;
  PMPI_Get_count_c(&status, MPI_BYTE, &count);
  message.rank = ranks_.from(status.MPI_SOURCE);
  message.bytes = static_cast<std::uint64_t>(count);
  return message;
}

PointToPoint::Id PointToPoint::receive(Message& message, std::byte* to) {
  MPI_Request request;
  inter::check_mpi(PMPI_Imrecv_c(to, static_cast<MPI_Count>(message.bytes), MPI_BYTE,
                                 &message.message, &request),
                   "receiving from another node");
  return add(request);
}

// Ends it where it can be; true then.
bool PointToPoint::complete(Id id) {
  int ended = 0;
  MPI_Status status = {};  // that of a message sent has no count
  const int error = PMPI_Test(&requests_[id], &ended, &status);
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(error, &error_class);
  if (error_class == MPI_ERR_TRUNCATE) {
    any_truncated_ = true;
  } else {
    inter::check_mpi(error, "completing a message");
    if (!ended) return false;
  }
  // A status of a truncated message may have any count.
  MPI_Count bytes = 0;
  if (error_class != MPI_ERR_TRUNCATE) PMPI_Get_count_c(&status, MPI_BYTE, &bytes);
  bytes_[id] = static_cast<std::uint64_t>(bytes);
  forget(id);
  return true;
}

// One after the other up to one that has not ended.
bool PointToPoint::progress() {
  const std::size_t before = open_;
  while (open_ != 0) {
    if (next_ == requests_.size()) next_ = 0;
    const Id id = next_++;
    if (!is_done(id) && !complete(id)) break;
  }
  return open_ != before;
}

}  // namespace mpiactor
