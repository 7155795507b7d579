// What members say to each other in a request's one word, with members as threads (also under the
// thread sanitizer): of a leader that loses its patience and a member that completes the node's
// data exactly one sends them, and what is sent, overwritten, or joined is there.
#include "actor/competition/arrivals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace mpiactor::competition {
namespace {

constexpr int kMembers = 4;
constexpr int kLeader = 0;
const shm::WaitPolicy kPolite{.spin_us = 10, .give_way = true, .progress = nullptr};

std::uint64_t rounds(std::uint64_t many) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return many / 20;
#else
  return many;
#endif
}

// What a request's members share, in plain memory where only the word says who may touch it. A slot
// of a request is used again by a later one.
struct Shared {
  std::uint64_t given[kMembers] = {};   // what members contribute
  std::uint64_t complete = 0;           // the node's data
  std::uint64_t received[2] = {};       // what comes from other nodes, in each round
  std::uint64_t own_of_second = 0;      // the node's own part of the second round
  std::atomic<int> sent{0};             // by how many
  std::atomic<int> joined[2] = {0, 0};  // by how many
  std::atomic<std::uint64_t> wrong{0};  // what whoever sends or joins has seen: at the same time
};

class Node {
 public:
  Node() : memory_(RequestQueue::bytes_needed(kMembers)), slots_(kSlots) {}

  RequestQueue queue(int member) { return {memory_.data(), kMembers, member, kPolite}; }
  Shared& of(std::uint64_t sequence) { return slots_[sequence % kSlots]; }

 private:
  struct Bytes {
    explicit Bytes(std::size_t count)
        : owned(new (std::align_val_t(shm::kCacheLine)) std::byte[count]()) {}
    ~Bytes() { operator delete[](owned, std::align_val_t(shm::kCacheLine)); }
    std::byte* data() { return owned; }
    std::byte* owned;
  };
  Bytes memory_;
  std::vector<Shared> slots_;
};

std::uint64_t sum_of(std::uint64_t sequence) { return kMembers * sequence; }

class Member {
 public:
  Member(Node& node, int member)
      : node_(node), member_(member), queue_(node.queue(member)), random_(member + 1u) {}

  // The leader overwrites what is sent when it may begin.
  void swap(std::uint64_t sequence) {
    enter(sequence);
    if (give()) complete_and_send();
    if (member_ == kLeader) {
      if (sends_) {
        send();
      } else {
        arrivals_->wait_may_begin();
      }
      shared_->complete = ~std::uint64_t{0};
      queue_.publish(sequence, 1);
    }
    leave(sequence);
  }

  // The leader takes in what comes from the beginning, in two rounds.
  void join(std::uint64_t sequence) {
    enter(sequence);
    if (give()) complete_and_send();
    if (member_ == kLeader) {
      if (sends_) send();
      for (const int round : order_of_rounds()) {
        shared_->received[round] = sequence;
        if (arrivals_->add_others_part(round)) end_round(round, sequence);
      }
    }
    leave(sequence);
  }

 private:
  void enter(std::uint64_t sequence) {
    sequence_ = sequence;
    queue_.enter(sequence);
    shared_ = &node_.of(sequence);
    arrivals_.emplace(queue_, sequence);
    sends_ = false;
  }
  void leave(std::uint64_t sequence) {
    queue_.wait_published(sequence, 0);
    queue_.leave(sequence);
  }
  std::vector<int> order_of_rounds() {
    return random_() % 2 ? std::vector<int>{0, 1} : std::vector<int>{1, 0};
  }
  void dawdle() {
    for (unsigned i = random_() % 4; i > 0; --i) std::this_thread::yield();
  }

  // True where this member completes the node's data. A leader that does not sends them later, or
  // leaves that.
  bool give() {
    dawdle();
    shared_->given[member_] = sequence_;
    const bool completes = arrivals_->count() == kMembers;
    if (member_ == kLeader && !completes) {
      const bool is_patient = random_() % 2;
      if (is_patient) arrivals_->wait_complete_until(shm::monotonic_ns() + 20'000);
      sends_ = arrivals_->state().is_complete() || !arrivals_->leave_sending();
    }
    return completes;
  }
  void complete_and_send() {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : shared_->given) sum += each;
    shared_->complete = sum;
    const Arrivals::State state = arrivals_->complete();
    if (member_ == kLeader) {
      sends_ = true;
    } else if (state.is_sending_left()) {
      send();
      arrivals_->let_begin();
    }
    if (state.has_others_part(0)) end_round(0, sequence_);
  }
  void send() {
    shared_->sent.fetch_add(1, std::memory_order_relaxed);
    shared_->wrong += shared_->complete != sum_of(sequence_);
  }
  void end_round(int round, std::uint64_t sequence) {
    shared_->joined[round].fetch_add(1, std::memory_order_relaxed);
    shared_->wrong += shared_->received[round] != sequence;
    shared_->wrong += shared_->complete != sum_of(sequence);
    if (round == 1) {
      shared_->wrong += shared_->own_of_second != sequence;
      queue_.publish(sequence, 1);
      return;
    }
    shared_->own_of_second = sequence;
    if (arrivals_->add_own_part(1)) end_round(1, sequence);
  }

  Node& node_;
  int member_;
  RequestQueue queue_;
  std::minstd_rand random_;
  std::uint64_t sequence_ = 0;
  Shared* shared_ = nullptr;
  std::optional<Arrivals> arrivals_;
  bool sends_ = false;  // the leader
};

// Calls run(member, sequence) on all members, request after request; check(shared, uses of it).
template <typename Run, typename Check>
void run_requests(std::uint64_t requests, Run run, Check check) {
  Node node;
  std::vector<std::thread> threads;
  for (int id = 0; id < kMembers; ++id) {
    threads.emplace_back([&, id] {
      Member member(node, id);
      for (std::uint64_t sequence = 1; sequence <= requests; ++sequence) run(member, sequence);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) check(node.of(slot));
}

TEST(Arrivals, OneSendsWhereTheHomeOverwrites) {
  const std::uint64_t requests = kSlots * rounds(200);
  run_requests(
      requests, [](Member& member, std::uint64_t sequence) { member.swap(sequence); },
      [&](const Shared& shared) {
        EXPECT_EQ(shared.sent.load(), static_cast<int>(requests / kSlots));
        EXPECT_EQ(shared.wrong.load(), 0u);
      });
}

TEST(Arrivals, OneEndsEachRound) {
  const std::uint64_t requests = kSlots * rounds(200);
  run_requests(
      requests, [](Member& member, std::uint64_t sequence) { member.join(sequence); },
      [&](const Shared& shared) {
        EXPECT_EQ(shared.sent.load(), static_cast<int>(requests / kSlots));
        EXPECT_EQ(shared.joined[0].load(), static_cast<int>(requests / kSlots));
        EXPECT_EQ(shared.joined[1].load(), static_cast<int>(requests / kSlots));
        EXPECT_EQ(shared.wrong.load(), 0u);
      });
}

TEST(Arrivals, SaysWhatWasSaid) {
  Node node;
  RequestQueue queue = node.queue(0);
  queue.enter(1);
  Arrivals arrivals(queue, 1);
  EXPECT_EQ(arrivals.state().counted(), 0u);
  EXPECT_EQ(arrivals.count(), 1u);
  EXPECT_TRUE(arrivals.leave_sending());
  EXPECT_FALSE(arrivals.add_others_part(0));
  EXPECT_EQ(arrivals.count(), 2u);
  const Arrivals::State state = arrivals.complete();
  EXPECT_TRUE(state.is_sending_left() && state.has_others_part(0) && !state.has_others_part(1));
  EXPECT_EQ(state.counted(), 2u);
  EXPECT_FALSE(arrivals.state().may_begin());
  arrivals.let_begin();
  EXPECT_TRUE(arrivals.state().may_begin());
  EXPECT_FALSE(arrivals.add_own_part(1));
  EXPECT_TRUE(arrivals.add_others_part(1));
  // The next request that uses the slot begins anew; who was complete needs nobody.
  Arrivals next(queue, 1 + kSlots);
  EXPECT_EQ(next.count(), 1u);
  next.complete();
  EXPECT_FALSE(next.leave_sending());
}

TEST(Arrivals, WaitsForTheDataNotMuchLongerThanTold) {
  Node node;
  RequestQueue queue = node.queue(0);
  queue.enter(1);
  Arrivals arrivals(queue, 1);
  arrivals.count();
  const std::uint64_t end_ns = shm::monotonic_ns() + 1'000'000;
  arrivals.wait_complete_until(end_ns);
  EXPECT_GE(shm::monotonic_ns(), end_ns);
  EXPECT_FALSE(arrivals.state().is_complete());
  arrivals.complete();
  arrivals.wait_complete_until(~std::uint64_t{0});
}

}  // namespace
}  // namespace mpiactor::competition
