#include "inter/introductions.h"

#include <utility>

namespace mpiactor::inter {

Introductions::~Introductions() {
  if (incoming_request_ != MPI_REQUEST_NULL) take_back(incoming_request_);
  for (MPI_Request& request : outgoing_requests_) PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

void Introductions::announce(const Announcement& who, const PossibleLeaders& leaders, int node) {
  if (!outgoing_) outgoing_ = std::make_unique<Announcement>(who);  // the same for all nodes
  for (const int rank : leaders.of_node(node)) {
    MPI_Request request;
    check_mpi(PMPI_Isend(outgoing_.get(), sizeof *outgoing_, MPI_BYTE, ranks_.to(rank),
                         message_tag(sequence_, MessageKind::kAnnouncement), comm_, &request),
              "announcing a leader");
    outgoing_requests_.push_back(request);
  }
}

bool Introductions::sent() {
  if (outgoing_requests_.empty()) return true;
  int all = 0;
  check_mpi(PMPI_Testall(static_cast<int>(outgoing_requests_.size()), outgoing_requests_.data(),
                         &all, MPI_STATUSES_IGNORE),
            "announcing a leader");
  if (all) outgoing_requests_.clear();
  return all != 0;
}

void Introductions::finish_in(DropList& drops) {
  if (!sent()) drops.finish(std::move(outgoing_), std::exchange(outgoing_requests_, {}));
}

void Introductions::listen(int nodes) {
  awaited_ = nodes;
  if (awaited_ != 0) receive_next();
}

void Introductions::receive_next() {
  check_mpi(
      PMPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE,
                 message_tag(sequence_, MessageKind::kAnnouncement), comm_, &incoming_request_),
      "listening for announcements");
}

bool Introductions::poll(const std::function<bool(const Announcement&)>& heard) {
  bool any = false;
  while (incoming_request_ != MPI_REQUEST_NULL) {
    int flag = 0;
    check_mpi(PMPI_Test(&incoming_request_, &flag, MPI_STATUS_IGNORE), "receiving announcements");
    if (!flag) break;
    any = true;
    if (heard(incoming_)) --awaited_;
    if (awaited_ != 0) receive_next();
  }
  return any;
}

int Introductions::close(const std::function<bool(const Announcement&)>& heard) {
  if (incoming_request_ != MPI_REQUEST_NULL && !take_back(incoming_request_)) {
    awaited_ -= heard(incoming_);
  }
  return std::exchange(awaited_, 0);
}

}  // namespace mpiactor::inter
