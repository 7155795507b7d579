// The bytes of a test's messages: quick to make and to compare, other ones in each call and at each
// place.
#ifndef MPIACTOR_TESTS_ACTOR_COLLECTIVES_MESSAGE_H_
#define MPIACTOR_TESTS_ACTOR_COLLECTIVES_MESSAGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace mpiactor::testing {

// Message `number`, endless: random bytes that repeat after kPeriod, begun elsewhere for each
// number. The period is a prime: what goes wrong by a power of two, or by a few of them, shows.
class Message {
 public:
  static constexpr std::size_t kPeriod = 65521;

  explicit Message(std::uint64_t number) : first_(number * 40503 % kPeriod) {}

  std::uint8_t operator[](std::size_t i) const { return bytes()[(first_ + i) % kPeriod]; }

  // Its first `size` bytes.
  void fill(std::uint8_t* to, std::size_t size) const {
    for_pieces(size, [&](std::size_t at, const std::uint8_t* piece, std::size_t length) {
      std::memcpy(to + at, piece, length);
      return true;
    });
  }

  std::vector<std::uint8_t> first(std::size_t size) const {
    std::vector<std::uint8_t> all(size);
    fill(all.data(), size);
    return all;
  }

  // The first of `size` bytes that is not the message's; `size` where all are.
  std::size_t first_wrong(const std::uint8_t* data, std::size_t size) const {
    std::size_t wrong = size;
    for_pieces(size, [&](std::size_t at, const std::uint8_t* piece, std::size_t length) {
      if (std::memcmp(data + at, piece, length) == 0) return true;
      const auto pair = std::mismatch(piece, piece + length, data + at);
      wrong = at + static_cast<std::size_t>(pair.first - piece);
      return false;
    });
    return wrong;
  }

 private:
  static const std::vector<std::uint8_t>& bytes() {
    static const std::vector<std::uint8_t> all = [] {
      std::mt19937 random(20261126);
      std::vector<std::uint8_t> drawn(kPeriod);
      std::ranges::generate(drawn, [&] { return static_cast<std::uint8_t>(random() >> 24); });
      return drawn;
    }();
    return all;
  }

  // Calls use(place in the message, bytes, how many) until it returns false.
  template <typename Use>
  void for_pieces(std::size_t size, Use&& use) const {
    std::size_t from = first_;
    for (std::size_t at = 0; at < size;) {
      const std::size_t length = std::min(size - at, kPeriod - from);
      if (!use(at, bytes().data() + from, length)) return;
      at += length;
      from = 0;
    }
  }

  std::size_t first_;
};

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_ACTOR_COLLECTIVES_MESSAGE_H_
