// What waits in the MPI library while ranks wait in a collective comes forward: one rank first
// completes something pending that needs the others' help, and comes to the collective afterwards.
// And a rank that leaves a collective has seen what came before the last of the others arrived.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;
using Values = std::vector<int>;

int value(int from, int to, int index) { return from * 1'000'003 + to * 1'009 + index; }

// What is being tried: said where it does not end.
std::string at = "begin";

void say_where(int) {
  at += "\n";
  if (write(STDERR_FILENO, at.data(), at.size()) < 0) abort();
}

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void expect(bool good, const std::string& what) {
  if (!good) fail(at + ": wrong data of " + what);
}

// ---- Collectives, with the data that they must bring.

struct Collective {
  std::string name;
  std::function<void(const Group&, int root, int count)> call;
  bool only_to_root = false;
};

Values blocks(int from, int first_to, int last_to, int count) {
  Values all;
  for (int to = first_to; to < last_to; ++to) {
    for (int i = 0; i < count; ++i) all.push_back(value(from, to, i));
  }
  return all;
}

Values gathered(const Group& group, int to, int count) {
  Values all;
  for (int from = 0; from < group.size; ++from) {
    for (int i = 0; i < count; ++i) all.push_back(value(from, to, i));
  }
  return all;
}

Values own_vector(const Group& group, int elements) {
  Values own(index(elements));
  std::iota(own.begin(), own.end(), group.rank);
  return own;
}

// Elements [first, first + count) of the sum of all own_vector()s.
Values summed(const Group& group, int first, int count) {
  Values sum;
  for (int i = first; i < first + count; ++i) {
    sum.push_back(i * group.size + group.size * (group.size - 1) / 2);
  }
  return sum;
}

// Equal counts and where blocks begin.
struct Layout {
  Layout(const Group& group, int count) : counts(index(group.size), count), at(counts.size()) {
    std::exclusive_scan(counts.begin(), counts.end(), at.begin(), 0);
  }
  Values counts;
  Values at;
};

// A nonblocking call, waited for at once.
template <typename Begin>
void complete(Begin begin) {
  MPI_Request request;
  begin(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void check_bcast(const Group& group, int root, int count,
                 const std::function<void(int* data)>& call) {
  Values data = group.rank == root ? blocks(root, 0, 1, count) : Values(index(count));
  call(data.data());
  expect(data == blocks(root, 0, 1, count), "broadcast");
}

void check_sum(const Group& group, int count, bool has_result,
               const std::function<void(const int* send, int* recv)>& call) {
  const Values own = own_vector(group, count);
  Values sum(index(count));
  call(own.data(), sum.data());
  if (has_result) expect(sum == summed(group, 0, count), "sum");
}

void check_gather(const Group& group, int count, bool has_result, int to,
                  const std::function<void(const int* send, int* recv)>& call) {
  const Values own = blocks(group.rank, to, to + 1, count);
  Values all(index(group.size * count));
  call(own.data(), all.data());
  if (has_result) expect(all == gathered(group, to, count), "gathered blocks");
}

void check_scatter(const Group& group, int root, int count,
                   const std::function<void(const int* send, int* recv)>& call) {
  const Values all = blocks(root, 0, group.size, count);
  Values own(index(count));
  call(all.data(), own.data());
  expect(own == blocks(root, group.rank, group.rank + 1, count), "scattered block");
}

void check_alltoall(const Group& group, int count,
                    const std::function<void(const int* send, int* recv)>& call) {
  const Values mine = blocks(group.rank, 0, group.size, count);
  Values got(mine.size());
  call(mine.data(), got.data());
  expect(got == gathered(group, group.rank, count), "exchanged blocks");
}

const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all = {
      {"MPI_Barrier", [](const Group& g, int, int) { MPI_Barrier(g.comm); }},
      {"MPI_Bcast",
       [](const Group& g, int root, int n) {
         check_bcast(g, root, n, [&](int* data) { MPI_Bcast(data, n, MPI_INT, root, g.comm); });
       }},
      {"MPI_Reduce",
       [](const Group& g, int root, int n) {
         check_sum(g, n, g.rank == root, [&](const int* send, int* recv) {
           MPI_Reduce(send, recv, n, MPI_INT, MPI_SUM, root, g.comm);
         });
       },
       true},
      {"MPI_Allreduce",
       [](const Group& g, int, int n) {
         check_sum(g, n, true, [&](const int* send, int* recv) {
           MPI_Allreduce(send, recv, n, MPI_INT, MPI_SUM, g.comm);
         });
       }},
      {"MPI_Reduce_scatter_block",
       [](const Group& g, int, int n) {
         const Values own = own_vector(g, n * g.size);
         Values sum(index(n));
         MPI_Reduce_scatter_block(own.data(), sum.data(), n, MPI_INT, MPI_SUM, g.comm);
         expect(sum == summed(g, g.rank * n, n), "block of the sum");
       }},
      {"MPI_Reduce_scatter",
       [](const Group& g, int, int n) {
         const Layout layout(g, n);
         const Values own = own_vector(g, n * g.size);
         Values sum(index(n));
         MPI_Reduce_scatter(own.data(), sum.data(), layout.counts.data(), MPI_INT, MPI_SUM, g.comm);
         expect(sum == summed(g, g.rank * n, n), "block of the sum");
       }},
      {"MPI_Allgather",
       [](const Group& g, int, int n) {
         check_gather(g, n, true, 0, [&](const int* send, int* recv) {
           MPI_Allgather(send, n, MPI_INT, recv, n, MPI_INT, g.comm);
         });
       }},
      {"MPI_Allgatherv",
       [](const Group& g, int, int n) {
         const Layout layout(g, n);
         check_gather(g, n, true, 0, [&](const int* send, int* recv) {
           MPI_Allgatherv(send, n, MPI_INT, recv, layout.counts.data(), layout.at.data(), MPI_INT,
                          g.comm);
         });
       }},
      {"MPI_Gather",
       [](const Group& g, int root, int n) {
         check_gather(g, n, g.rank == root, root, [&](const int* send, int* recv) {
           MPI_Gather(send, n, MPI_INT, recv, n, MPI_INT, root, g.comm);
         });
       },
       true},
      {"MPI_Gatherv",
       [](const Group& g, int root, int n) {
         const Layout layout(g, n);
         check_gather(g, n, g.rank == root, root, [&](const int* send, int* recv) {
           MPI_Gatherv(send, n, MPI_INT, recv, layout.counts.data(), layout.at.data(), MPI_INT,
                       root, g.comm);
         });
       },
       true},
      {"MPI_Scatter",
       [](const Group& g, int root, int n) {
         check_scatter(g, root, n, [&](const int* send, int* recv) {
           MPI_Scatter(send, n, MPI_INT, recv, n, MPI_INT, root, g.comm);
         });
       }},
      {"MPI_Scatterv",
       [](const Group& g, int root, int n) {
         const Layout layout(g, n);
         check_scatter(g, root, n, [&](const int* send, int* recv) {
           MPI_Scatterv(send, layout.counts.data(), layout.at.data(), MPI_INT, recv, n, MPI_INT,
                        root, g.comm);
         });
       }},
      {"MPI_Alltoall",
       [](const Group& g, int, int n) {
         check_alltoall(g, n, [&](const int* send, int* recv) {
           MPI_Alltoall(send, n, MPI_INT, recv, n, MPI_INT, g.comm);
         });
       }},
      {"MPI_Alltoallv",
       [](const Group& g, int, int n) {
         const Layout layout(g, n);
         check_alltoall(g, n, [&](const int* send, int* recv) {
           MPI_Alltoallv(send, layout.counts.data(), layout.at.data(), MPI_INT, recv,
                         layout.counts.data(), layout.at.data(), MPI_INT, g.comm);
         });
       }},
      {"MPI_Ibarrier",
       [](const Group& g, int, int) {
         complete([&](MPI_Request* request) { MPI_Ibarrier(g.comm, request); });
       }},
      {"MPI_Ibcast",
       [](const Group& g, int root, int n) {
         check_bcast(g, root, n, [&](int* data) {
           complete(
               [&](MPI_Request* request) { MPI_Ibcast(data, n, MPI_INT, root, g.comm, request); });
         });
       }},
      {"MPI_Ireduce",
       [](const Group& g, int root, int n) {
         check_sum(g, n, g.rank == root, [&](const int* send, int* recv) {
           complete([&](MPI_Request* request) {
             MPI_Ireduce(send, recv, n, MPI_INT, MPI_SUM, root, g.comm, request);
           });
         });
       },
       true},
      {"MPI_Iallreduce",
       [](const Group& g, int, int n) {
         check_sum(g, n, true, [&](const int* send, int* recv) {
           complete([&](MPI_Request* request) {
             MPI_Iallreduce(send, recv, n, MPI_INT, MPI_SUM, g.comm, request);
           });
         });
       }},
  };
  return all;
}

// ---- What is pending. Every rank begins it, then the late one alone ends it; the others do so
// after the collective.

class Pending {
 public:
  virtual ~Pending() = default;
  virtual std::string name() const = 0;
  virtual void begin(int late) = 0;
  virtual void end(int late) = 0;
};

// Every rank of a ring has to pass the blocks on.
class RingOfBlocks : public Pending {
 public:
  explicit RingOfBlocks(const Group& group)
      : group_(group), count_(kTotal / group.size), layout_(group, count_) {}
  std::string name() const override { return "MPI_Iallgatherv"; }
  void begin(int) override {
    mine_ = blocks(group_.rank, 0, 1, count_);
    all_.assign(index(count_ * group_.size), -1);
    MPI_Iallgatherv(mine_.data(), count_, MPI_INT, all_.data(), layout_.counts.data(),
                    layout_.at.data(), MPI_INT, group_.comm, &request_);
  }
  void end(int) override {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    expect(all_ == gathered(group_, 0, count_), name());
  }

 private:
  // Of all ranks: enough for a ring.
  static constexpr int kTotal = 320'000;
  const Group& group_;
  int count_;
  Layout layout_;
  Values mine_, all_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class Exchange : public Pending {
 public:
  explicit Exchange(const Group& group) : group_(group) {}
  std::string name() const override { return "MPI_Ialltoall"; }
  void begin(int) override {
    mine_ = blocks(group_.rank, 0, group_.size, kCount);
    got_.assign(mine_.size(), -1);
    MPI_Ialltoall(mine_.data(), kCount, MPI_INT, got_.data(), kCount, MPI_INT, group_.comm,
                  &request_);
  }
  void end(int) override {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    expect(got_ == gathered(group_, group_.rank, kCount), name());
  }

 private:
  static constexpr int kCount = 5'000;
  const Group& group_;
  Values mine_, got_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// Every second integer: such a message the sender packs piece by piece, when the receiver asks.
class LongSends : public Pending {
 public:
  explicit LongSends(const Group& group) : group_(group) {
    MPI_Type_vector(kCount, 1, 2, MPI_INT, &type_);
    MPI_Type_commit(&type_);
  }
  ~LongSends() override { MPI_Type_free(&type_); }
  std::string name() const override { return "MPI_Isend"; }
  void begin(int late) override {
    if (group_.rank == late) return;
    mine_ = blocks(group_.rank, late, late + 1, 2 * kCount);
    MPI_Isend(mine_.data(), 1, type_, late, kTag, group_.comm, &request_);
  }
  void end(int late) override {
    if (group_.rank != late) {
      MPI_Wait(&request_, MPI_STATUS_IGNORE);
      return;
    }
    for (int from = 0; from < group_.size; ++from) {
      if (from == late) continue;
      Values expected = blocks(from, late, late + 1, 2 * kCount);
      for (int i = 1; i < 2 * kCount; i += 2) expected[index(i)] = -1;
      Values got(expected.size(), -1);
      MPI_Recv(got.data(), 1, type_, from, kTag, group_.comm, MPI_STATUS_IGNORE);
      expect(got == expected, name());
    }
  }

 private:
  static constexpr int kCount = 30'000;
  static constexpr int kTag = 17;
  const Group& group_;
  MPI_Datatype type_;
  Values mine_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// The late rank reads every other integer of the others' windows.
class Window : public Pending {
 public:
  explicit Window(const Group& group) : group_(group), memory_(blocks(group.rank, 0, 1, kCount)) {
    MPI_Win_create(memory_.data(), static_cast<MPI_Aint>(memory_.size() * sizeof(int)), sizeof(int),
                   MPI_INFO_NULL, group.comm, &window_);
    MPI_Type_vector(kCount / 2, 1, 2, MPI_INT, &type_);
    MPI_Type_commit(&type_);
  }
  ~Window() override {
    MPI_Type_free(&type_);
    MPI_Win_free(&window_);
  }

 protected:
  void get_from(int rank) {
    MPI_Get(got_.data() + rank * kCount / 2, kCount / 2, MPI_INT, rank, 0, 1, type_, window_);
  }
  void check() {
    for (int rank = 0; rank < group_.size; ++rank) {
      if (rank == group_.rank) continue;
      for (int i = 0; i < kCount / 2; ++i) {
        if (got_[index(rank * kCount / 2 + i)] != value(rank, 0, 2 * i)) expect(false, name());
      }
    }
  }
  static constexpr int kCount = 2'000;
  const Group& group_;
  Values memory_;
  Values got_;
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Datatype type_;
};

class Epoch : public Window {
 public:
  using Window::Window;
  std::string name() const override { return "an epoch of MPI_Win_start"; }
  void begin(int late) override {
    if (group_.rank != late) {
      MPI_Group origin = make({late});
      MPI_Win_post(origin, 0, window_);
      MPI_Group_free(&origin);
    }
  }
  void end(int late) override {
    if (group_.rank != late) {
      MPI_Win_wait(window_);
      return;
    }
    Values others;
    for (int rank = 0; rank < group_.size; ++rank) {
      if (rank != late) others.push_back(rank);
    }
    MPI_Group targets = make(others);
    MPI_Win_start(targets, 0, window_);
    got_.assign(index(group_.size * kCount / 2), -1);
    for (const int rank : others) get_from(rank);
    MPI_Win_complete(window_);
    MPI_Group_free(&targets);
    check();
  }

 private:
  MPI_Group make(const Values& ranks) const {
    MPI_Group all, some;
    MPI_Comm_group(group_.comm, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
    MPI_Group_free(&all);
    return some;
  }
};

class Lock : public Window {
 public:
  using Window::Window;
  std::string name() const override { return "an epoch of MPI_Win_lock"; }
  void begin(int) override {}
  void end(int late) override {
    if (group_.rank != late) return;
    got_.assign(index(group_.size * kCount / 2), -1);
    for (int rank = 0; rank < group_.size; ++rank) {
      if (rank == late) continue;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window_);
      get_from(rank);
      MPI_Win_unlock(rank, window_);
    }
    check();
  }
};

void run_pending(const Group& group, std::uint64_t seed) {
  RingOfBlocks ring(group);
  Exchange exchange(group);
  LongSends sends(group);
  Epoch epoch(group);
  Lock lock(group);
  constexpr int kCounts[] = {1, 300, 12'000};
  std::uint64_t number = seed;
  for (Pending* const pending : {static_cast<Pending*>(&ring), static_cast<Pending*>(&exchange),
                                 static_cast<Pending*>(&sends), static_cast<Pending*>(&epoch),
                                 static_cast<Pending*>(&lock)}) {
    for (const Collective& collective : collectives()) {
      Random random(++number);
      // Many ranks take long: every other case, as the seed has it.
      if (group.size > 8 && number % 2 == 0) continue;
      const int count = kCounts[random.below(3)];
      const int root = random.below(group.size);
      // The root, the first of all, the last of all, any rank.
      const int lates[] = {root, 0, group.size - 1, random.below(group.size)};
      const int late = lates[random.below(4)];
      at = collective.name + " of " + std::to_string(count) + ", root " + std::to_string(root) +
           "; rank " + std::to_string(late) + " ends " + pending->name() + " first";
      pending->begin(late);
      if (group.rank == late) pending->end(late);
      collective.call(group, root, count);
      if (group.rank != late) pending->end(late);
    }
  }
}

// ---- What came before the last one arrived, rank 0, is there for rank 1.

constexpr int kTag = 5;

void take(const Group& group) {
  int got = 0;
  MPI_Recv(&got, 1, MPI_INT, 0, kTag, group.comm, MPI_STATUS_IGNORE);
  expect(got == 42, "message");
}

void look_by_iprobe(const Group& group, const Collective& collective) {
  const int sent = 42;
  if (group.rank == 0) MPI_Send(&sent, 1, MPI_INT, 1, kTag, group.comm);
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    int found = 0;
    MPI_Iprobe(0, kTag, group.comm, &found, MPI_STATUS_IGNORE);
    if (!found) fail("MPI_Iprobe after " + collective.name + " found nothing");
    take(group);
  }
}

void look_by_improbe(const Group& group, const Collective& collective) {
  const int sent = 42;
  if (group.rank == 0) MPI_Send(&sent, 1, MPI_INT, 1, kTag, group.comm);
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    int found = 0;
    MPI_Message message;
    MPI_Improbe(0, kTag, group.comm, &found, &message, MPI_STATUS_IGNORE);
    if (!found) fail("MPI_Improbe after " + collective.name + " found nothing");
    int got = 0;
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    expect(got == 42, "message");
  }
}

void look_by_cancel(const Group& group, const Collective& collective) {
  int got = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (group.rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, kTag, group.comm, &request);
  PMPI_Barrier(group.comm);
  const int sent = 42;
  if (group.rank == 0) MPI_Send(&sent, 1, MPI_INT, 1, kTag, group.comm);
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    MPI_Status status;
    int is_cancelled = 0;
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    if (is_cancelled) fail("MPI_Cancel after " + collective.name + " cancelled what had come");
    expect(got == 42, "message");
  }
}

void look_by_win_test(const Group& group, MPI_Win window, const Collective& collective) {
  MPI_Group all, other;
  MPI_Comm_group(group.comm, &all);
  const int peer = 1 - group.rank;
  MPI_Group_incl(all, 1, &peer, &other);
  if (group.rank == 1) {
    MPI_Win_post(other, 0, window);
  } else {
    MPI_Win_start(other, 0, window);
    MPI_Win_complete(window);
  }
  collective.call(group, 0, 1);
  if (group.rank == 1) {
    int ended = 0;
    MPI_Win_test(window, &ended);
    if (!ended) fail("MPI_Win_test after " + collective.name + " found an open epoch");
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

void run_looks(const Group& group) {
  constexpr int kTimes = 50;
  int memory = 0;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, group.comm, &window);
  for (const Collective& collective : collectives()) {
    // Where rank 0 only receives, nothing says when it came.
    if (collective.only_to_root) continue;
    at = "looks after " + collective.name;
    for (int i = 0; i < kTimes; ++i) {
      look_by_iprobe(group, collective);
      look_by_improbe(group, collective);
      look_by_cancel(group, collective);
      look_by_win_test(group, window, collective);
    }
  }
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  constexpr unsigned kSlowS = 30;
  signal(SIGALRM, say_where);
  alarm(kSlowS);
  if (job.world().size == 2) run_looks(job.world());
  run_pending(job.world(), job.seed());
  return 0;
}
