// Pending events in order of time; events of equal time leave in the order in which they came.
#ifndef MPIACTOR_SIM_EVENT_QUEUE_H_
#define MPIACTOR_SIM_EVENT_QUEUE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace mpiactor::sim {

struct Event {
  std::uint64_t time = 0;
  std::uint32_t subject = 0;
  std::uint32_t kind = 0;
};

// A monotone radix queue (Ahuja, Mehlhorn, Orlin, Tarjan 1990, with digits of six bits): an event
// must not lie before the one popped last. An event waits in the bucket of the highest digit in
// which its time differs from the time popped last, so it moves at most once per digit, by
// sequential copies: cheaper than the scattered accesses of a heap with 10^5 events and more.
// Events of equal time always share a bucket, which keeps their order.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(const Event& event) {
    place(event);
    ++size_;
  }

  // `coming(event, step)` is told of most events some time before they are popped, for prefetching:
  // of each in steps 0 .. kSteps - 1, of many others in between, so that a step may read what the
  // step before it has prefetched.
  static constexpr int kSteps = 5;

  template <typename Coming>
  Event pop(const Coming& coming) {
    while (occupied_[0] == 0) refill(coming);
    const auto digit = static_cast<std::size_t>(std::countr_zero(occupied_[0]));
    std::vector<Event>& bucket = buckets_[digit];
    const Event event = bucket[taken_++];
    if (taken_ == bucket.size()) {
      bucket.clear();
      taken_ = 0;
      occupied_[0] &= occupied_[0] - 1;
    }
    last_time_ = event.time;
    --size_;
    if (!told_ && taken_ > 0) tell_of_equal_times(bucket, coming);
    return event;
  }

  Event pop() {
    return pop([](const Event&, int) {});
  }

 private:
  static constexpr unsigned kDigitBits = 6;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr std::size_t kLevels = (64 + kDigitBits - 1) / kDigitBits;

  void place(const Event& event) {
    const std::uint64_t differing = event.time ^ last_time_;
    const std::size_t level =
        differing == 0 ? 0 : (static_cast<std::size_t>(std::bit_width(differing)) - 1) / kDigitBits;
    const std::size_t digit = (event.time >> (level * kDigitBits)) & (kDigits - 1);
    buckets_[level * kDigits + digit].push_back(event);
    occupied_[level] |= std::uint64_t{1} << digit;
  }

  // Of events that are spread over levels below this one is told.
  static constexpr std::size_t kToldLevel = 2;
  // At once: few enough to be in a cache still when their turn comes. Where there are more,
  // many have one time, and are told of one after the other when that has come.
  static constexpr std::size_t kMostTold = 2048;
  static constexpr std::size_t kAhead = 6;  // among events of equal time, from step to step

  template <typename Coming>
  void tell_of_equal_times(const std::vector<Event>& bucket, const Coming& coming) const {
    for (int step = 0; step < kSteps; ++step) {
      const std::size_t ahead = taken_ + static_cast<std::size_t>(kSteps - step) * kAhead;
      if (ahead < bucket.size()) coming(bucket[ahead], step);
    }
  }

  // Step by step of all that have come into the levels below kToldLevel.
  template <typename Coming>
  void tell_of_spread(std::size_t level, const Coming& coming) {
    if (level < kToldLevel) return;
    if (level > kToldLevel) {
      std::erase_if(spreading_, [this](const Event& event) {
        return (event.time ^ last_time_) >> (kToldLevel * kDigitBits) != 0;
      });
    }
    told_ = spreading_.size() <= kMostTold;
    if (!told_) return;
    for (int step = 0; step < kSteps; ++step) {
      for (const Event& event : spreading_) coming(event, step);
    }
  }

  // Spreads the earliest bucket over the levels below it.
  template <typename Coming>
  void refill(const Coming& coming) {
    std::size_t level = 1;
    while (occupied_[level] == 0) ++level;
    const auto digit = static_cast<std::size_t>(std::countr_zero(occupied_[level]));
    occupied_[level] &= occupied_[level] - 1;
    spreading_.swap(buckets_[level * kDigits + digit]);
    last_time_ =
        std::min_element(spreading_.begin(), spreading_.end(), [](const Event& a, const Event& b) {
          return a.time < b.time;
        })->time;
    for (const Event& event : spreading_) place(event);
    tell_of_spread(level, coming);
    spreading_.clear();
    spreading_.swap(buckets_[level * kDigits + digit]);
  }

  std::uint64_t last_time_ = 0;
  std::size_t size_ = 0;
  std::size_t taken_ = 0;  // of the earliest bucket of level 0
  bool told_ = false;      // of the events in levels 0 and 1
  std::array<std::uint64_t, kLevels> occupied_{};
  std::array<std::vector<Event>, kLevels * kDigits> buckets_;
  std::vector<Event> spreading_;
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_EVENT_QUEUE_H_
