#include "actor/container/copy_choice.h"

#include <algorithm>
#include <cmath>

namespace mpiactor {
namespace {

// Means forget: a value counts for 1 / weight.
constexpr double kCopies = 8;
constexpr double kMemory = 64;
// Before so many calls nothing is known: who is late but rarely has mostly been so by then.
constexpr double kCalls = 64;
// A copy that took more than so many times the mean was interrupted.
constexpr double kMostTimes = 4;
// In bench/loop with noise of 1 and 3 ms, on 4 nodes of 4 ranks and 8 of 2, copies to all and one a
// node cost the same where members are 5 to 8 times as uneven as the copies take long.
constexpr double kWorth = 8;

double read(const std::atomic<double>& mean) { return mean.load(std::memory_order_relaxed); }

void move(std::atomic<double>& mean, double value, double weight) {
  mean.store(read(mean) + (value - read(mean)) / weight, std::memory_order_relaxed);
}

double in_ns(CopyChoice::Time time) { return static_cast<double>(time.count()); }

}  // namespace

void CopyChoice::sent(Time each) {
  const double mean = read(copy_ns_);
  if (mean == 0) {
    move(copy_ns_, in_ns(each), 1);
  } else {
    move(copy_ns_, std::min(in_ns(each), kMostTimes * mean), kCopies);
  }
}

// All values count the same until there are enough.
double CopyChoice::weight() const { return std::min(read(comers_) + 1, kMemory); }

void CopyChoice::beside_leader(Time late) { came(in_ns(late), weight()); }

void CopyChoice::beside_root(Time late) {
  const double weight = this->weight();
  move(after_root_ns_, in_ns(late), weight);
  came(in_ns(late) - read(after_root_ns_), weight);
}

void CopyChoice::came(double uneven_ns, double weight) {
  move(uneven_ns2_, uneven_ns * uneven_ns, weight);
  comers_.store(read(comers_) + 1, std::memory_order_relaxed);
}

CopyChoice::Time CopyChoice::uneven() const {
  return Time(static_cast<Time::rep>(std::sqrt(read(uneven_ns2_))));
}

void CopyChoice::other_node(Time uneven, int nodes) {
  constexpr int kRounds = 2;  // of all others that count
  move(others_ns_, in_ns(uneven), kRounds * (nodes - 1));
}

bool CopyChoice::few_will_do(std::size_t more, std::size_t comers_a_call) const {
  const std::size_t comers = std::max<std::size_t>(comers_a_call, 1);
  if (read(comers_) < kCalls * static_cast<double>(comers)) return false;
  return std::max(in_ns(uneven()), read(others_ns_)) <=
         kWorth * static_cast<double>(more) * read(copy_ns_);
}

}  // namespace mpiactor
