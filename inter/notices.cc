#include "inter/notices.h"

#include <utility>

#include "inter/messages.h"

namespace mpiactor::inter {
namespace {

constexpr int kTag = 0;

}  // namespace

Notices::Notices(MPI_Comm world_comm)
    : comm_(duplicate(world_comm, "making a communicator for notices")) {}

Notices::~Notices() {
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

// Synchronous: what has been sent has been received, see finish().
void Notices::send(int world_rank, const Notice& notice) {
  std::list<Sent> fresh;
  Sent& sent = fresh.emplace_back(Sent{notice});
  check_mpi(PMPI_Issend(&sent.notice, sizeof sent.notice, MPI_BYTE, world_rank, kTag, comm_,
                        &sent.request),
            "sending a notice");
  const std::lock_guard lock(mutex_);
  sent_.splice(sent_.end(), fresh);
}

void Notices::take_in() {
  for (;;) {
    int found = 0;
    MPI_Message message;
    check_mpi(PMPI_Improbe(MPI_ANY_SOURCE, kTag, comm_, &found, &message, MPI_STATUS_IGNORE),
              "looking for notices");
    if (!found) return;
    Notice notice;
    check_mpi(PMPI_Mrecv(&notice, sizeof notice, MPI_BYTE, &message, MPI_STATUS_IGNORE),
              "receiving a notice");
    const std::lock_guard lock(mutex_);
    const auto box = boxes_.find(notice.place);
    if (box != boxes_.end()) box->second->take(notice);
  }
}

void Notices::forget_sent() {
  std::list<Sent> sent;
  {
    const std::lock_guard lock(mutex_);
    sent.swap(sent_);
  }
  std::erase_if(sent, [](Sent& one) {
    int is_over = 0;
    check_mpi(PMPI_Test(&one.request, &is_over, MPI_STATUS_IGNORE), "sending a notice");
    return is_over != 0;
  });
  const std::lock_guard lock(mutex_);
  sent_.splice(sent_.end(), sent);
}

bool Notices::has_sent() {
  const std::lock_guard lock(mutex_);
  return !sent_.empty();
}

void Notices::poll() {
  if (is_polled_.exchange(true, std::memory_order_acquire)) return;
  take_in();
  forget_sent();
  is_polled_.store(false, std::memory_order_release);
}

// Who has no notice under way enters a barrier, and goes on receiving till all are in it: Hoefler,
// Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data exchange (2010).
void Notices::finish(const std::function<void()>& pause) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (bool is_in_barrier = false;;) {
    poll();
    if (!is_in_barrier && !has_sent()) {
      check_mpi(PMPI_Ibarrier(comm_, &barrier), "ending the notices");
      is_in_barrier = true;
    }
    if (is_in_barrier) {
      int is_over = 0;
      check_mpi(PMPI_Test(&barrier, &is_over, MPI_STATUS_IGNORE), "ending the notices");
      if (is_over) return;
    }
    pause();
  }
}

NoticeBox::NoticeBox(Notices& notices, std::uint64_t place, const RankMap& world_ranks)
    : notices_(notices), place_(place), world_ranks_(world_ranks) {
  const std::lock_guard lock(notices_.mutex_);
  notices_.boxes_[place_] = this;
}

NoticeBox::~NoticeBox() {
  const std::lock_guard lock(notices_.mutex_);
  notices_.boxes_.erase(place_);
}

void NoticeBox::take(const Notice& notice) {
  switch (notice.kind) {
    case Notice::Kind::kSize:
      sizes_[notice.sequence] = notice.bytes;
      break;
    case Notice::Kind::kWithdrawn:
      ++astray_[notice.sequence];
      break;
    case Notice::Kind::kOffer:
      offers_.emplace(notice.sequence, static_cast<int>(notice.bytes));
      break;
    case Notice::Kind::kAsk:
      asks_.emplace(notice.sequence, notice);
      break;
  }
}

std::optional<std::uint64_t> NoticeBox::size_of(std::uint64_t sequence) {
  const std::lock_guard lock(notices_.mutex_);
  sizes_.erase(sizes_.begin(), sizes_.lower_bound(sequence));
  const auto found = sizes_.find(sequence);
  return found == sizes_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Ask> NoticeBox::asks(std::uint64_t sequence, std::uint64_t bytes) {
  const std::lock_guard lock(notices_.mutex_);
  asks_.erase(asks_.begin(), asks_.lower_bound(sequence));
  std::vector<Ask> asks;
  const auto [begin, end] = asks_.equal_range(sequence);
  for (auto at = begin; at != end; ++at) {
    if (at->second.bytes == bytes) asks.push_back(at->second.ask);
  }
  return asks;
}

std::vector<int> NoticeBox::offers(std::uint64_t sequence) {
  const std::lock_guard lock(notices_.mutex_);
  offers_.erase(offers_.begin(), offers_.lower_bound(sequence));
  std::vector<int> nodes;
  const auto [begin, end] = offers_.equal_range(sequence);
  for (auto at = begin; at != end; ++at) nodes.push_back(at->second);
  return nodes;
}

void NoticeBox::leave(std::uint64_t sequence) {
  if (++left_ % 16 != 0) return;
  poll();
  size_of(sequence + 1);
  asks(sequence + 1, 0);
  offers(sequence + 1);
}

void NoticeBox::heard_astray(std::uint64_t sequence) {
  const std::lock_guard lock(notices_.mutex_);
  --astray_[sequence];
}

void NoticeBox::settle(std::uint64_t sequence, DropList& drops) {
  std::map<std::uint64_t, int> unheard;
  {
    const std::lock_guard lock(notices_.mutex_);
    for (auto astray = astray_.begin(); astray != astray_.end() && astray->first < sequence;) {
      if (astray->second > 0) unheard.insert(*astray);
      astray = astray->second >= 0 ? astray_.erase(astray) : std::next(astray);
    }
  }
  for (const auto& [request, count] : unheard) {
    drops.expect(message_tag(request, MessageKind::kAnnouncement), sizeof(Announcement), count);
  }
}

}  // namespace mpiactor::inter
