// Election and slot reuse under contention: between threads (also under the thread sanitizer) and
// between processes.
#include "actor/competition/request_queue.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace mpiactor::competition {
namespace {

// More members than cores in most places: waiting must give way.
const shm::WaitPolicy kPolite{.spin_us = 10, .give_way = true, .progress = nullptr};

class SharedQueue {
 public:
  explicit SharedQueue(int members) : bytes_(RequestQueue::bytes_needed(members)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  }
  ~SharedQueue() { munmap(memory_, bytes_); }
  std::byte* memory() const { return static_cast<std::byte*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

struct Tally {
  std::uint64_t led = 0;
  std::uint64_t wrong = 0;
};

// `rounds` requests: whoever leads writes the sequence all over the inline bytes, the others read.
Tally take_part(RequestQueue& queue, std::uint64_t rounds, std::mt19937& random,
                bool sometimes_sleep) {
  constexpr std::size_t kWords = 32;
  Tally tally;
  for (std::uint64_t s = 1; s <= rounds; ++s) {
    if (sometimes_sleep && random() % 5000 == 0) usleep(300);
    if (queue.compete(s) == Role::kLeader) {
      ++tally.led;
      std::uint64_t* words = reinterpret_cast<std::uint64_t*>(queue.slot(s).inline_bytes);
      for (std::size_t i = 0; i < kWords; ++i) words[i] = s * 1000 + i;
      queue.slot(s).description.bytes = s;
      queue.publish(s, 1);
    } else {
      queue.wait_published(s, 0);
      const std::uint64_t* words =
          reinterpret_cast<const std::uint64_t*>(queue.slot(s).inline_bytes);
      tally.wrong += queue.slot(s).description.bytes != s;
      for (std::size_t i = 0; i < kWords; ++i) tally.wrong += words[i] != s * 1000 + i;
    }
    queue.leave(s);
  }
  return tally;
}

std::uint64_t rounds(std::uint64_t many) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return many / 20;
#elif !defined(NDEBUG)
  return many / 10;
#else
  return many;
#endif
}

TEST(RequestQueue, KnowsWhoLeads) {
  SharedQueue shared(2);
  RequestQueue first(shared.memory(), 2, 0, kPolite);
  RequestQueue second(shared.memory(), 2, 1, kPolite);
  for (std::uint64_t s = 1; s <= 3; ++s) {
    EXPECT_EQ(second.compete(s), Role::kLeader);
    EXPECT_EQ(first.compete(s), Role::kFollower);
    EXPECT_EQ(first.leader(s), 1);
    second.leave(s);
  }
}

TEST(RequestQueue, OneLeaderARequestAmongThreads) {
  constexpr int kMembers = 3;
  const std::uint64_t kRounds = rounds(1000000);
  SharedQueue shared(kMembers);
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::vector<Tally> tallies(kMembers);
  {
    std::vector<std::jthread> threads;
    for (int me = 0; me < kMembers; ++me) {
      threads.emplace_back([&, me] {
        RequestQueue queue(shared.memory(), kMembers, me, kPolite);
        std::mt19937 random(seed + static_cast<unsigned>(me));
        tallies[static_cast<std::size_t>(me)] = take_part(queue, kRounds, random, true);
      });
    }
  }
  std::uint64_t led = 0;
  for (const Tally& tally : tallies) {
    led += tally.led;
    EXPECT_EQ(tally.wrong, 0u);
  }
  EXPECT_EQ(led, kRounds);
}

TEST(RequestQueue, OneLeaderARequestAmongProcesses) {
  constexpr int kMembers = 4;
  const std::uint64_t kRounds = rounds(1000000);
  SharedQueue shared(kMembers);
  Tally* tallies =
      static_cast<Tally*>(mmap(nullptr, sizeof(Tally) * kMembers, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::vector<pid_t> children;
  for (int me = 0; me < kMembers; ++me) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      RequestQueue queue(shared.memory(), kMembers, me, kPolite);
      std::mt19937 random(seed + static_cast<unsigned>(me));
      tallies[me] = take_part(queue, kRounds, random, true);
      _exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::uint64_t led = 0;
  for (int me = 0; me < kMembers; ++me) {
    led += tallies[me].led;
    EXPECT_EQ(tallies[me].wrong, 0u);
  }
  EXPECT_EQ(led, kRounds);
  munmap(tallies, sizeof(Tally) * kMembers);
}

TEST(RequestQueue, ASlotIsNotReusedWhileAMemberHasNotLeftIt) {
  SharedQueue shared(2);
  RequestQueue fast(shared.memory(), 2, 0, kPolite);
  RequestQueue slow(shared.memory(), 2, 1, kPolite);
  for (std::uint64_t s = 1; s < kSlots; ++s) {
    ASSERT_EQ(fast.compete(s), Role::kLeader);
    fast.publish(s, 1);
    fast.leave(s);
  }
  // Slot 0 is new, slot 1 still holds request 1, which the slow member has not seen.
  fast.lead(kSlots);
  EXPECT_EQ(fast.back_pressure_waits(), 0u);
  fast.publish(kSlots, 1);
  fast.leave(kSlots);
  std::atomic<bool> begun{false};
  std::atomic<bool> taken{false};
  std::jthread waiter([&] {
    begun = true;
    fast.lead(kSlots + 1);
    taken = true;
  });
  while (!begun) usleep(100);
  usleep(100000);
  EXPECT_FALSE(taken);
  EXPECT_EQ(slow.compete(1), Role::kFollower);
  EXPECT_EQ(slow.wait_published(1, 0), 1u);
  slow.leave(1);
  waiter.join();
  EXPECT_TRUE(taken);
  EXPECT_EQ(fast.back_pressure_waits(), 1u);
}

TEST(RequestQueue, AFollowerSeesEntriesGrow) {
  SharedQueue shared(2);
  RequestQueue leader(shared.memory(), 2, 0, kPolite);
  RequestQueue follower(shared.memory(), 2, 1, kPolite);
  leader.lead(1);
  leader.publish(1, 2);
  EXPECT_EQ(follower.wait_published(1, 0), 2u);
  std::jthread later([&] {
    usleep(5000);
    leader.publish(1, 3);
  });
  EXPECT_EQ(follower.wait_published(1, 2), 3u);
  follower.consumed(1, 3);
  EXPECT_TRUE(leader.members_reached(stamp(1, 3)));
  EXPECT_FALSE(leader.members_reached(stamp(1, 4)));
}

// Members lay a number down, count themselves in, and the last one adds all up for the others.
TEST(RequestQueue, TheLastToArriveSeesWhatAllHaveLaidDown) {
  constexpr int kMembers = 3;
  const std::uint64_t kRounds = rounds(200000);
  SharedQueue shared(kMembers);
  std::vector<Tally> tallies(kMembers);
  std::vector<std::thread> members;
  for (int me = 0; me < kMembers; ++me) {
    members.emplace_back([&, me] {
      RequestQueue queue(shared.memory(), kMembers, me, kPolite);
      Tally& tally = tallies[static_cast<std::size_t>(me)];
      for (std::uint64_t s = 1; s <= kRounds; ++s) {
        queue.enter(s);
        auto* const words = reinterpret_cast<std::uint64_t*>(queue.slot(s).inline_bytes);
        words[me] = s + static_cast<std::uint64_t>(me);
        const std::uint64_t count = queue.arrive(s, kMembers + 1);
        if (count == kMembers) {
          ++tally.led;
          words[kMembers] = words[0] + words[1] + words[2];
          queue.arrive(s, kMembers + 1);
        }
        queue.wait_arrived(s, kMembers + 1);
        tally.wrong += words[kMembers] != 3 * s + 3;
        queue.leave(s);
      }
    });
  }
  for (std::thread& member : members) member.join();
  std::uint64_t completed = 0;
  for (const Tally& tally : tallies) {
    EXPECT_EQ(tally.wrong, 0u);
    completed += tally.led;
  }
  EXPECT_EQ(completed, kRounds);  // one last member a request
}

// Two phases: what all lay down in the first one, each reads in the second one. First it lies
// beside the signatures, then in the slot.
TEST(RequestQueue, SignaturesSeparatePhases) {
  constexpr int kMembers = 3;
  const std::uint64_t kRounds = rounds(200000);
  SharedQueue shared(kMembers);
  std::vector<std::uint64_t> wrong(kMembers);
  std::vector<std::thread> members;
  for (int me = 0; me < kMembers; ++me) {
    members.emplace_back([&, me] {
      RequestQueue queue(shared.memory(), kMembers, me, kPolite);
      for (std::uint64_t s = 1; s <= kRounds; ++s) {
        queue.enter(s);
        auto* const words = reinterpret_cast<std::uint64_t*>(queue.slot(s).inline_bytes);
        SignedPart* const parts = queue.signed_parts(s);
        std::memcpy(parts[me].bytes, &s, sizeof s);
        queue.sign(s, 1);
        queue.wait_all_signed(s, 1);
        const int next = (me + 1) % kMembers;
        std::uint64_t signed_word = 0;
        std::memcpy(&signed_word, parts[next].bytes, sizeof signed_word);
        words[me] = signed_word * 2;
        queue.sign(s, 2);
        queue.wait_all_signed(s, 2);
        wrong[static_cast<std::size_t>(me)] += words[next] != 2 * s;
        queue.leave(s);
      }
    });
  }
  for (std::thread& member : members) member.join();
  for (const std::uint64_t count : wrong) EXPECT_EQ(count, 0u);
}

// A leader that found no room waits for what it saw then: others may have left all older requests
// meanwhile, and then it would wait for itself.
TEST(RequestQueue, ALeaderWithoutRoomDoesNotWaitForItsOwnRequest) {
  SharedQueue shared(2);
  RequestQueue leader(shared.memory(), 2, 0, kPolite);
  RequestQueue other(shared.memory(), 2, 1, kPolite);
  leader.lead(1);
  leader.publish(1, 1);
  leader.leave(1);
  leader.lead(2);
  const std::uint64_t seen = leader.left_by_all();
  other.leave(1);
  leader.wait_one_more_left(seen);
  EXPECT_EQ(leader.left_by_all(), 2u);
}

TEST(RequestQueue, ClaimsThatDifferAreFound) {
  SharedQueue shared(2);
  RequestQueue a(shared.memory(), 2, 0, kPolite);
  RequestQueue b(shared.memory(), 2, 1, kPolite);
  const Claim first{100, 0, 3, 0};
  EXPECT_EQ(a.check(1, first).bytes, 100u);
  EXPECT_EQ(b.check(1, Claim{100, 0, 3, 1}).rank, 0);  // the same claim
  const Claim found = b.check(1, Claim{200, 0, 3, 1});
  EXPECT_EQ(found.bytes, 100u);
  EXPECT_EQ(found.rank, 0);
}

TEST(WaitWord, ASleeperIsWoken) {
  shm::WaitWord word;
  std::jthread waker([&] {
    for (std::uint64_t i = 1; i <= 200; ++i) {
      if (i % 50 == 0) usleep(2000);
      word.publish(i);
    }
  });
  for (std::uint64_t i = 1; i <= 200; i += 7) {
    EXPECT_GE(shm::wait_until(word, kPolite, [=](std::uint64_t value) { return value >= i; }), i);
  }
}

}  // namespace
}  // namespace mpiactor::competition
