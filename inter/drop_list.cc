#include "inter/drop_list.h"

#include <utility>

namespace mpiactor::inter {

DropList::~DropList() {
  for (Drop& drop : drops_) {
    PMPI_Cancel(&drop.request);
    PMPI_Wait(&drop.request, MPI_STATUS_IGNORE);
  }
  for (Sent& sent : sent_) {
    for (MPI_Request& request : sent.requests) PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void DropList::finish(std::unique_ptr<Announcement> announcement,
                      std::vector<MPI_Request> requests) {
  sent_.push_back({std::move(announcement), {}, std::move(requests)});
}

void DropList::finish(std::vector<KeptBytes> pushed, std::vector<MPI_Request> requests) {
  sent_.push_back({nullptr, std::move(pushed), std::move(requests)});
}

void DropList::expect(int tag, std::uint64_t bytes, int count) {
  for (int i = 0; i < count; ++i) {
    Drop drop;
    if (!spare_.empty()) {
      drop.scrap = std::move(spare_.back());
      spare_.pop_back();
    }
    drop.scrap.resize(bytes);
    check_mpi(PMPI_Irecv(drop.scrap.data(), static_cast<int>(bytes), MPI_BYTE, MPI_ANY_SOURCE, tag,
                         comm_, &drop.request),
              "receiving what another member handles");
    drops_.push_back(std::move(drop));
  }
}

void DropList::sweep() {
  for (std::size_t i = 0; i < drops_.size();) {
    int flag = 0;
    check_mpi(PMPI_Test(&drops_[i].request, &flag, MPI_STATUS_IGNORE), "dropping a message");
    if (!flag) {
      ++i;
      continue;
    }
    spare_.push_back(std::move(drops_[i].scrap));
    drops_[i] = std::move(drops_.back());
    drops_.pop_back();
  }
  std::erase_if(sent_, [](Sent& sent) {
    int all = 0;
    check_mpi(PMPI_Testall(static_cast<int>(sent.requests.size()), sent.requests.data(), &all,
                           MPI_STATUSES_IGNORE),
              "finishing what was sent");
    return all != 0;
  });
}

std::size_t DropList::memory_bytes() const {
  std::size_t bytes = drops_.capacity() * sizeof(Drop) + spare_.capacity() * sizeof(spare_[0]);
  for (const Drop& drop : drops_) bytes += drop.scrap.capacity();
  for (const std::vector<std::byte>& scrap : spare_) bytes += scrap.capacity();
  for (const Sent& sent : sent_) {
    bytes += sizeof sent + sent.requests.capacity() * sizeof(MPI_Request);
    if (sent.announcement) bytes += sizeof *sent.announcement;
    for (const KeptBytes& message : sent.pushed) bytes += sizeof message + message.size();
  }
  return bytes;
}

void DropList::drain(const std::function<void()>& pause) {
  for (sweep(); size() != 0; sweep()) pause();
}

int receive_left_over(MPI_Comm comm) {
  for (int received = 0;; ++received) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    check_mpi(PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &message, &status),
              "looking for messages that are left over");
    if (!found) return received;
    int bytes = 0;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<std::byte> scrap(static_cast<std::size_t>(bytes));
    check_mpi(PMPI_Mrecv(scrap.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE),
              "receiving a message that is left over");
  }
}

}  // namespace mpiactor::inter
