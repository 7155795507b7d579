// Random numbers that can be drawn again: every step has its own generators, so that leaving a step
// out changes no other one.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_RANDOM_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_RANDOM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace differential {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

// The output function of splitmix64: neighbouring inputs have unrelated outputs.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// One key made of several numbers.
constexpr std::uint64_t key_of(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t key = 0;
  for (const std::uint64_t part : parts) key = mix(key + kGolden + part);
  return key;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix(state_ += kGolden); }
  // 0 <= result < n.
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  // first <= result <= last.
  int between(int first, int last) { return first + below(last - first + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }
  std::vector<int> permutation(int n) {
    std::vector<int> order;
    for (int i = 0; i < n; ++i) order.push_back(i);
    for (int i = n - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
    return order;
  }

 private:
  std::uint64_t state_;
};

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_RANDOM_H_
