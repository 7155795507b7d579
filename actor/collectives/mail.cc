#include "actor/collectives/mail.h"

#include <utility>

#include "inter/messages.h"

namespace mpiactor {

int Mail::tag(MailKind kind, std::uint64_t bytes) const {
  constexpr std::uint64_t kSizes = 509;  // a prime: sizes that differ rarely have one tag
  int channel = static_cast<int>(kind);
  if (kind != MailKind::kLetter) {
    channel = 1 + 2 * static_cast<int>(bytes % kSizes) + (kind == MailKind::kForwardedBlock);
  }
  static_assert(2 * kSizes < inter::kMaxChannels);
  return inter::message_tag(number_, inter::MessageKind::kData, channel);
}

Mail::Id Mail::add(MPI_Request request) {
  requests_.push_back(request);
  ++open_;
  return requests_.size() - 1;
}

Mail::Id Mail::send(const std::byte* data, std::uint64_t bytes, int rank, MailKind kind,
                    bool synchronous) {
  MPI_Request request;
  const auto count = static_cast<MPI_Count>(bytes);
  const int error =
      synchronous ? PMPI_Issend_c(data, count, MPI_BYTE, rank, tag(kind, bytes), comm_, &request)
                  : PMPI_Isend_c(data, count, MPI_BYTE, rank, tag(kind, bytes), comm_, &request);
  inter::check_mpi(error, "sending to another node");
  return add(request);
}

Mail::Id Mail::send(std::vector<std::byte> data, int rank, MailKind kind, bool synchronous) {
  kept_.push_back(std::move(data));
  return send(kept_.back().data(), kept_.back().size(), rank, kind, synchronous);
}

Mail::Id Mail::receive(std::byte* data, std::uint64_t bytes, int rank, MailKind kind) {
  MPI_Request request;
  inter::check_mpi(PMPI_Irecv_c(data, static_cast<MPI_Count>(bytes), MPI_BYTE, rank,
                                tag(kind, bytes), comm_, &request),
                   "receiving from another node");
  return add(request);
}

void Mail::take_back(Id id) {
  PMPI_Cancel(&requests_[id]);
  PMPI_Wait(&requests_[id], MPI_STATUS_IGNORE);
  --open_;
}

std::optional<Mail::Letter> Mail::find(MailKind kind, int rank, std::uint64_t bytes) const {
  int found = 0;
  Letter letter;
  MPI_Status status;
  inter::check_mpi(PMPI_Improbe(rank, tag(kind, bytes), comm_, &found, &letter.message, &status),
                   "looking for a message from another node");
  if (!found) return std::nullopt;
  MPI_Count count = 0;
  PMPI_Get_count_c(&status, MPI_BYTE, &count);
  letter.rank = status.MPI_SOURCE;
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

bool Mail::progress() {
  if (open_ == 0) return false;
  int ended = 0;
  ended_.resize(requests_.size());
  inter::check_mpi(PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &ended,
                                 ended_.data(), MPI_STATUSES_IGNORE),
                   "completing messages between nodes");
  open_ -= static_cast<std::size_t>(ended);
  return ended != 0;
}

}  // namespace mpiactor
