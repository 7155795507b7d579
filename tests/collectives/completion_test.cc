// Every function that completes requests, over arrays that mix the runtime's collectives
// (nonblocking and persistent, ended and pending, active and inactive) with messages, persistent
// messages, the MPI library's own collectives and MPI_REQUEST_NULL: indices, counts, statuses,
// handles and data.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"
#include "tests/collectives/sequence.h"
#include "tests/persistent_names.h"

namespace {

using namespace mpiactor::testing;

enum class Kind {
  kNull,
  kIbarrier,
  kIbcast,
  kIreduce,
  kIallreduce,
  kBcastInit,
  kAllreduceInit,
  kIallgather,
  kIscan,  // the MPI library's own
  kSend,
  kReceive,
  kSendInit,
  kReceiveInit,
};
constexpr int kKinds = 13;

constexpr int kTag = 100;  // of the first message

// One entry of the array, and what is expected of it.
struct Entry {
  Kind kind = Kind::kNull;
  int root = 0;
  int tag = 0;
  int words = 0;
  bool is_active = false;
  bool was_seen_complete = false;
  Words sent;
  Words got;
  Words expected;

  bool is_persistent() const {
    return kind == Kind::kBcastInit || kind == Kind::kAllreduceInit || kind == Kind::kSendInit ||
           kind == Kind::kReceiveInit;
  }
  bool receives() const { return kind == Kind::kReceive || kind == Kind::kReceiveInit; }
};

// Whether a persistent request that is active counts as inactive once MPI_Request_get_status has
// seen that it is complete: a fault of MPICH 4.2.
bool forgets_seen_requests() {
  const int sent = 1;
  int got = 0;
  MPI_Request request;
  MPI_Recv_init(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  int flag = 0;
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  int index = -1;
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return index == MPI_UNDEFINED;
}

// Into the same memory, whose address the request has.
void put(Words& to, const Words& words) { std::copy(words.begin(), words.end(), to.begin()); }

class Mixture {
 public:
  explicit Mixture(Case& at) : at_(at), comm_(at.group.comm) {
    right_ = (at.group.rank + 1) % at.group.size;
    left_ = (at.group.rank + at.group.size - 1) % at.group.size;
    const int calls = 1 + at.shared.below(8);
    for (int i = 0; i < calls; ++i) {
      Entry entry;
      entry.kind = static_cast<Kind>(at.shared.below(kKinds));
      entry.root = at.shared.below(at.group.size);
      entry.tag = kTag + i;
      entry.words = 1 + random_count(at.shared);  // calls of nothing are the MPI library's
      // What is sent must be received.
      if (entry.kind == Kind::kSend || entry.kind == Kind::kSendInit) {
        Entry other = entry;
        other.kind = entry.kind == Kind::kSend ? Kind::kReceive : Kind::kReceiveInit;
        entries_.push_back(std::move(other));
      } else if (entry.receives()) {
        Entry other = entry;
        other.kind = entry.kind == Kind::kReceive ? Kind::kSend : Kind::kSendInit;
        entries_.push_back(std::move(other));
      }
      entries_.push_back(std::move(entry));
    }
    for (int nulls = at.own.below(3); nulls > 0; --nulls) entries_.emplace_back();
    requests_.assign(entries_.size(), MPI_REQUEST_NULL);
    place();
    for (const std::size_t i : order_) prepare(i);
  }

  ~Mixture() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].is_persistent()) MPI_Request_free(&requests_[i]);
    }
  }
  Mixture(const Mixture&) = delete;
  Mixture& operator=(const Mixture&) = delete;

  // Begins what is begun in this round, then completes it all.
  void run_round() {
    for (const std::size_t i : order_) {
      if (!entries_[i].is_persistent()) {
        if (round_ == 0) begin(i);
      } else if (number_of(entries_[i]).one_in(3)) {
        continue;  // stays inactive in this round
      } else {
        start(i);
      }
      at_.maybe_sleep();
    }
    ++round_;
    while (is_any_active(0, size())) complete_in_some_way();
    // Nothing is left: every function says so.
    for (int i = 0; i < 6; ++i) complete_in_some_way();
  }

 private:
  int size() const { return static_cast<int>(entries_.size()); }
  Entry& entry(int i) { return entries_[static_cast<std::size_t>(i)]; }
  MPI_Request& request(int i) { return requests_[static_cast<std::size_t>(i)]; }

  // Entries in another order on every rank; order_ is that of the calls, equal on all ranks.
  void place() {
    const std::vector<int> places = at_.own.permutation(size());
    std::vector<Entry> placed(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto place = static_cast<std::size_t>(places[i]);
      if (entries_[i].kind != Kind::kNull) order_.push_back(place);
      placed[place] = std::move(entries_[i]);
    }
    entries_ = std::move(placed);
  }

  void prepare(std::size_t i) {
    Entry& e = entries_[i];
    const auto words = static_cast<std::size_t>(e.words);
    e.sent.resize(words);
    e.got.resize(e.kind == Kind::kIallgather ? words * static_cast<std::size_t>(at_.group.size)
                                             : words);
    MPI_Request& request = requests_[i];
    switch (e.kind) {
      case Kind::kBcastInit:
        MPI_Bcast_init(e.got.data(), e.words, MPI_UINT64_T, e.root, comm_, MPI_INFO_NULL, &request);
        break;
      case Kind::kAllreduceInit:
        MPI_Allreduce_init(e.sent.data(), e.got.data(), e.words, MPI_UINT64_T, MPI_SUM, comm_,
                           MPI_INFO_NULL, &request);
        break;
      case Kind::kSendInit:
        MPI_Send_init(e.sent.data(), e.words, MPI_UINT64_T, right_, e.tag, comm_, &request);
        break;
      case Kind::kReceiveInit:
        MPI_Recv_init(e.got.data(), e.words, MPI_UINT64_T, left_, e.tag, comm_, &request);
        break;
      default:
        break;
    }
  }

  // Equal on all ranks, for both ends of a message.
  Random number_of(const Entry& e) const {
    return Random((at_.number * 100 + static_cast<Word>(round_)) * 1000 + static_cast<Word>(e.tag));
  }

  // The words of the next call, and what shall come of them.
  void fill(Entry& e) {
    const Word call = number_of(e).next();
    const int me = at_.group.rank;
    const int ranks = at_.group.size;
    e.is_active = true;
    e.was_seen_complete = false;
    put(e.sent, words_of(call, me, e.words));
    std::fill(e.got.begin(), e.got.end(), 0);
    e.expected = e.got;
    switch (e.kind) {
      case Kind::kIbcast:
      case Kind::kBcastInit:
        if (me == e.root) put(e.got, words_of(call, e.root, e.words));
        e.expected = words_of(call, e.root, e.words);
        break;
      case Kind::kIreduce:
        if (me == e.root) e.expected = sums_of(call, 0, ranks, e.words);
        break;
      case Kind::kIallreduce:
      case Kind::kAllreduceInit:
        e.expected = sums_of(call, 0, ranks, e.words);
        break;
      case Kind::kIallgather:
        e.expected.clear();
        for (int rank = 0; rank < ranks; ++rank) append(e.expected, words_of(call, rank, e.words));
        break;
      case Kind::kIscan:
        e.expected = sums_of(call, 0, me + 1, e.words);
        break;
      case Kind::kReceive:
      case Kind::kReceiveInit:
        e.expected = words_of(call, left_, e.words);
        break;
      default:
        break;
    }
  }

  void begin(std::size_t i) {
    Entry& e = entries_[i];
    fill(e);
    MPI_Request& request = requests_[i];
    switch (e.kind) {
      case Kind::kIbarrier:
        MPI_Ibarrier(comm_, &request);
        break;
      case Kind::kIbcast:
        MPI_Ibcast(e.got.data(), e.words, MPI_UINT64_T, e.root, comm_, &request);
        break;
      case Kind::kIreduce:
        MPI_Ireduce(e.sent.data(), e.got.data(), e.words, MPI_UINT64_T, MPI_SUM, e.root, comm_,
                    &request);
        break;
      case Kind::kIallreduce:
        MPI_Iallreduce(e.sent.data(), e.got.data(), e.words, MPI_UINT64_T, MPI_SUM, comm_,
                       &request);
        break;
      case Kind::kIallgather:
        MPI_Iallgather(e.sent.data(), e.words, MPI_UINT64_T, e.got.data(), e.words, MPI_UINT64_T,
                       comm_, &request);
        break;
      case Kind::kIscan:
        MPI_Iscan(e.sent.data(), e.got.data(), e.words, MPI_UINT64_T, MPI_SUM, comm_, &request);
        break;
      case Kind::kSend:
        MPI_Isend(e.sent.data(), e.words, MPI_UINT64_T, right_, e.tag, comm_, &request);
        break;
      case Kind::kReceive:
        MPI_Irecv(e.got.data(), e.words, MPI_UINT64_T, left_, e.tag, comm_, &request);
        break;
      default:
        break;
    }
    if (request == MPI_REQUEST_NULL) fail(at_, "a call gave no request");
  }

  void start(std::size_t i) {
    fill(entries_[i]);
    if (at_.own.one_in(2)) {
      MPI_Start(&requests_[i]);
    } else {
      MPI_Startall(1, &requests_[i]);
    }
  }

  bool is_any_active(int first, int end) {
    for (int i = first; i < end; ++i) {
      if (entry(i).is_active) return true;
    }
    return false;
  }

  void require(bool holds, const std::string& what) {
    if (!holds) fail(at_, what);
  }

  void check_empty(const MPI_Status& status) {
    int count = -1;
    int is_cancelled = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    MPI_Test_cancelled(&status, &is_cancelled);
    require(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0 &&
                is_cancelled == 0,
            "a status is not empty");
  }

  // What an active entry's status says when it is complete.
  void check_status(const Entry& e, const MPI_Status& status) {
    int is_cancelled = -1;
    MPI_Test_cancelled(&status, &is_cancelled);
    require(is_cancelled == 0, "cancelled");
    if (!e.receives()) return;
    int count = -1;
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    require(status.MPI_SOURCE == left_ && status.MPI_TAG == e.tag && count == e.words,
            "a message's status is wrong");
  }

  // An entry that was completed, if it was active.
  void finish(int i, const MPI_Status* status) {
    Entry& e = entry(i);
    if (!e.is_active) {
      if (status) check_empty(*status);
      require((request(i) != MPI_REQUEST_NULL) == e.is_persistent(), "a handle has changed");
      return;
    }
    e.is_active = false;
    require((request(i) != MPI_REQUEST_NULL) == e.is_persistent(), "a handle after completion");
    if (status) check_status(e, *status);
    check_words(e.got, e.expected, at_);
  }

  // Functions get a part of the array.
  void complete_in_some_way() {
    const int first = at_.own.below(size());
    const int count = at_.own.below(size() - first + 1);
    const bool wants_statuses = at_.own.one_in(2);
    std::vector<MPI_Status> statuses(static_cast<std::size_t>(count) + 1);
    std::vector<int> indices(statuses.size());
    MPI_Status* const status = wants_statuses ? statuses.data() : MPI_STATUS_IGNORE;
    MPI_Status* const all = wants_statuses ? statuses.data() : MPI_STATUSES_IGNORE;
    const std::vector<MPI_Request> before = requests_;
    static const bool may_look = !forgets_seen_requests();
    int way = at_.own.below(9);
    if (way == 2 && entry(first).is_persistent() && !may_look) way = 0;
    at_.text = "completion in way " + std::to_string(way) + " of " + std::to_string(count) +
               " requests" + (wants_statuses ? ", statuses" : "");
    switch (way) {
      case 0:
        require(MPI_Wait(&request(first), status) == MPI_SUCCESS, "an error");
        finish(first, wants_statuses ? status : nullptr);
        break;
      case 1: {
        int flag = -1;
        MPI_Test(&request(first), &flag, status);
        require(flag == 1 || (flag == 0 && entry(first).is_active),
                "flag " + std::to_string(flag) + " of kind " +
                    std::to_string(static_cast<int>(entry(first).kind)) + ", request " +
                    std::to_string(request(first)));
        require(flag == 1 || !entry(first).was_seen_complete, "complete no more");
        if (flag) finish(first, wants_statuses ? status : nullptr);
        break;
      }
      case 2: {
        int flag = -1;
        MPI_Request_get_status(request(first), &flag, status);
        require(flag == 1 || (flag == 0 && entry(first).is_active), "flag");
        require(request(first) == before[static_cast<std::size_t>(first)], "a handle has changed");
        Entry& e = entry(first);
        if (!e.is_active) {
          if (wants_statuses) check_empty(*status);
        } else if (flag) {
          e.was_seen_complete = true;
          if (wants_statuses) check_status(e, *status);
          check_words(e.got, e.expected, at_);
        }
        break;
      }
      case 3:
        MPI_Waitall(count, requests_.data() + first, all);
        for (int i = 0; i < count; ++i) {
          finish(first + i, wants_statuses ? &all[i] : nullptr);
        }
        break;
      case 4: {
        int flag = -1;
        MPI_Testall(count, requests_.data() + first, &flag, all);
        if (flag) {
          for (int i = 0; i < count; ++i) finish(first + i, wants_statuses ? &all[i] : nullptr);
        } else {
          require(is_any_active(first, first + count), "flag");
          require(requests_ == before, "a handle has changed");
        }
        break;
      }
      case 5:
      case 6: {
        int index = -1;
        int flag = 1;
        const bool is_any = is_any_active(first, first + count);
        if (way == 5) {
          MPI_Waitany(count, requests_.data() + first, &index, status);
        } else {
          MPI_Testany(count, requests_.data() + first, &index, &flag, status);
        }
        if (!is_any) {
          require(flag == 1 && index == MPI_UNDEFINED, "nothing to complete");
        } else if (!flag) {
          require(index == MPI_UNDEFINED, "an index without a flag");
        } else {
          require(index >= 0 && index < count && entry(first + index).is_active, "index");
          finish(first + index, wants_statuses ? status : nullptr);
        }
        check_others(before);
        break;
      }
      default: {
        int done = -1;
        const bool is_any = is_any_active(first, first + count);
        if (way == 7) {
          MPI_Waitsome(count, requests_.data() + first, &done, indices.data(), all);
        } else {
          MPI_Testsome(count, requests_.data() + first, &done, indices.data(), all);
        }
        if (!is_any) {
          require(done == MPI_UNDEFINED, "nothing to complete");
          break;
        }
        require(done >= (way == 7 ? 1 : 0) && done <= count, "outcount");
        for (int i = 0; i < done; ++i) {
          const int index = indices[static_cast<std::size_t>(i)];
          require(index >= 0 && index < count && entry(first + index).is_active, "index");
          finish(first + index, wants_statuses ? &all[i] : nullptr);
        }
        check_others(before);
        break;
      }
    }
  }

  // What is still active has its handle.
  void check_others(const std::vector<MPI_Request>& before) {
    for (int i = 0; i < size(); ++i) {
      if (entry(i).is_active) {
        require(request(i) == before[static_cast<std::size_t>(i)], "a handle has changed");
      }
    }
  }

  Case& at_;
  MPI_Comm comm_;
  int left_ = 0;
  int right_ = 0;
  int round_ = 0;
  std::vector<Entry> entries_;
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> order_;
};

void mixtures(Case& at) {
  // On a communicator that has shared memory.
  for (int i = 0; i < 2; ++i) MPI_Barrier(at.group.comm);
  Mixture mixture(at);
  for (int round = 0; round < 3; ++round) mixture.run_round();
}

// The case that an array of a null and a pending request is.
void null_and_pending(Case& at) {
  at.text = "a null and a pending request";
  for (const bool null_first : {false, true}) {
    const Word call = at.shared.next();
    Words words = words_of(call, at.group.rank, 4);
    std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Iallreduce(MPI_IN_PLACE, words.data(), 4, MPI_UINT64_T, MPI_SUM, at.group.comm,
                   &requests[null_first ? 1 : 0]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    check_words(words, sums_of(call, 0, at.group.size, 4), at);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  job.run_cases([&](const Group& group, std::uint64_t number) {
    // Calls of one rank are the MPI library's, whose persistent collectives its own functions take
    // for active ones at all times.
    if (group.size < 2) return;
    Case at(group, job.seed(), number);
    if (number % 4 == 0) {
      null_and_pending(at);
    } else {
      mixtures(at);
    }
  });
  return 0;
}
