// Words between processes about requests whose sizes differ, and about nodes that let others wait:
// beside the requests' own messages, so that one that nobody waits for does no harm.
//
// They go through a communicator of their own, as long as the job. A process takes them in when a
// leader has nothing to do, keeps what concerns a request that it has not left yet, and forgets the
// rest. In programs whose sizes agree there are none but those about late nodes.
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
#include "inter/served_nodes.h"

namespace mpiactor::inter {

// A node that asks one above its plan's sender to serve it, down one tree of the plan.
struct Ask {
  Adopted who;
  std::int32_t rank = 0;     // that leads it
  std::int32_t count = 0;    // of the nodes between, from its plan's sender upwards
  std::uint64_t offset = 0;  // of the tree's bytes in the message
  std::uint64_t bytes = 0;
  std::int32_t between[kMostBetween] = {};
};

struct Notice {
  enum class Kind : std::uint64_t {
    kSize,       // the request's message has so many bytes; from one that knows it
    kWithdrawn,  // an announcement was made in error: the possible leader gets one more than it
                 // knows
    kOffer,      // of a node that has the message and waits for a late one, to nodes below that one
    kAsk,        // the answer of one that waits for it, too
  };
  std::uint64_t place = 0;  // whose requests these are: see NoticeBox
  std::uint64_t sequence = 0;
  Kind kind = Kind::kSize;
  std::uint64_t bytes = 0;
  Ask ask = {};
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
  // To possible leaders of nodes below a late one; from a rank of `node`, which has the message.
  void offer(int rank, std::uint64_t sequence, int node) {
    send(rank, {place_, sequence, Notice::Kind::kOffer, static_cast<std::uint64_t>(node)});
  }
  // `bytes`: of the message, as tell_size().
  void ask(int rank, std::uint64_t sequence, std::uint64_t bytes, const Ask& ask) {
    send(rank, {place_, sequence, Notice::Kind::kAsk, bytes, ask});
  }

  void poll() { notices_.poll(); }
  // The bytes of a request, as far as this process has been told. Earlier ones' are forgotten.
  std::optional<std::uint64_t> size_of(std::uint64_t sequence);
  // Who has asked this process to be served in `sequence`, whose message has `bytes`. Earlier
  // requests' are forgotten.
  std::vector<Ask> asks(std::uint64_t sequence, std::uint64_t bytes);
  // The nodes that offer to serve this one in `sequence`. Earlier requests' are forgotten.
  std::vector<int> offers(std::uint64_t sequence);
  // When this process has left `sequence`, which was announced: now and then takes in what it has
  // not looked at, and forgets it. Else it would pile up, here and where it was sent.
  void leave(std::uint64_t sequence);
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
  std::uint64_t left_ = 0;                        // announced requests
  std::multimap<std::uint64_t, int> offers_;
  std::multimap<std::uint64_t, Notice> asks_;
};

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_NOTICES_H_
