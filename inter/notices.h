// Words between processes about requests whose sizes differ, and about nodes that let a sender
// wait: beside the requests' own messages, so that one that nobody waits for does no harm.
//
// They go through a communicator of their own, as long as the job. A process takes them in when a
// leader has nothing to do, keeps what concerns a request that it has not left yet, and forgets the
// rest. In programs whose sizes agree there are none but reminders to nodes that are very late.
#ifndef MPIACTOR_INTER_NOTICES_H_
#define MPIACTOR_INTER_NOTICES_H_

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "inter/drop_list.h"
#include "inter/rank_map.h"

namespace mpiactor::inter {

struct Notice {
  enum class Kind : std::uint64_t {
    kSize,       // the request's message has so many bytes; from one that knows it
    kWithdrawn,  // an announcement was made in error: the possible leader gets one more than it
                 // knows
  };
  std::uint64_t place = 0;  // whose requests these are: see NoticeBox
  std::uint64_t sequence = 0;
  Kind kind = Kind::kSize;
  std::uint64_t bytes = 0;
};

class NoticeBox;

// One a process. Any thread.
class Notices {
 public:
  // Collective over `world_comm`, of all processes in the order of MPI_COMM_WORLD, like finish().
  explicit Notices(MPI_Comm world_comm);
  ~Notices();
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  // Takes in what has come.
  void poll();
  // Until everybody has got what was sent to it; nobody sends any from then on. `pause` is called
  // between looks.
  void finish(const std::function<void()>& pause);

 private:
  friend class NoticeBox;
  struct Sent {
    Notice notice;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void send(int world_rank, const Notice& notice);
  void take_in();
  void forget_sent();
  bool has_sent();

  MPI_Comm comm_ = MPI_COMM_NULL;
  // The MPI library's calls may resume calls in the background that come here again: none is made
  // under the mutex.
  std::atomic<bool> is_polled_{false};
  std::mutex mutex_;
  std::list<Sent> sent_;
  std::map<std::uint64_t, NoticeBox*> boxes_;
};

// What concerns the requests of one communicator on this process.
class NoticeBox {
 public:
  // `place`: a number of the communicator's, equal on all its processes and no other one's.
  // `world_ranks`: its ranks in MPI_COMM_WORLD; must outlive it.
  NoticeBox(Notices& notices, std::uint64_t place, const RankMap& world_ranks);
  ~NoticeBox();
  NoticeBox(const NoticeBox&) = delete;
  NoticeBox& operator=(const NoticeBox&) = delete;

  std::uint64_t place() const { return place_; }
  // What a box takes beside itself: an entry of this C++ library's map.
  static constexpr std::uint64_t entry_bytes() {
    constexpr std::uint64_t kTreeNode = 4 * sizeof(void*);
    return kTreeNode + sizeof(std::pair<const std::uint64_t, NoticeBox*>);
  }

  // To `rank` of the communicator.
  void tell_size(int rank, std::uint64_t sequence, std::uint64_t bytes) {
    send(rank, {place_, sequence, Notice::Kind::kSize, bytes});
  }
  void withdraw(int rank, std::uint64_t sequence) {
    send(rank, {place_, sequence, Notice::Kind::kWithdrawn, 0});
  }

  void poll() { notices_.poll(); }
  // The bytes of a request, as far as this process has been told. Earlier ones' are forgotten.
  std::optional<std::uint64_t> size_of(std::uint64_t sequence);
  // An announcement of `sequence` has been heard that nobody counts.
  void heard_astray(std::uint64_t sequence);
  // Has announcements dropped that were made in error in requests before `sequence`, and have not
  // been heard.
  void settle(std::uint64_t sequence, DropList& drops);

 private:
  friend class Notices;
  void send(int rank, const Notice& notice) { notices_.send(world_ranks_.to(rank), notice); }
  void take(const Notice& notice);  // under the mutex

  Notices& notices_;
  std::uint64_t place_;
  const RankMap& world_ranks_;
  std::map<std::uint64_t, std::uint64_t> sizes_;  // of requests
  std::map<std::uint64_t, int> astray_;           // announcements withdrawn less those heard
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_NOTICES_H_
