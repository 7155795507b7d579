// What waits in the MPI library while ranks wait in a collective comes forward: one rank first
// completes something pending that needs the others' help, and comes to the collective afterwards.
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/checked_collectives.h"
#include "tests/collectives/harness.h"

namespace {

using namespace mpiactor::testing;

// What is pending. Every rank begins it, then the late one alone ends it; the others do so
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

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  say_when_slow(30);
  run_pending(job.world(), job.seed());
  return 0;
}
