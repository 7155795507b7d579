// What the members of a node say to, or hear from, a root on another node in one message: how many
// bytes each of them gives or takes, then the short blocks themselves. Longer ones follow in
// messages of their own.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_LETTER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_LETTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace mpiactor {

// Up to this a block travels in the node's letter, by way of the node's shared memory.
inline constexpr std::uint64_t kLetterBlockBytes = 4 << 10;
// Up to this a block that travels alone does so in one message, which is copied.
inline constexpr std::uint64_t kOwnLetterBlockBytes = 16 << 10;
// From this on a block that fits a room may go by way of the node again: then nobody waits for a
// late partner on the other side. In between the way through memory takes longer than it gains.
inline constexpr std::uint64_t kForwardedBlockBytes = 64 << 10;
// Longer ones cost a fifth of the call's time where all come together, and do so where asked for.
inline constexpr std::uint64_t kMostForwardedBytes = 128 << 10;

// Whether a block goes from process to process, whatever else the node gives or takes.
// `forwards_all`, equal on all ranks: whatever fits a room goes by way of the node.
constexpr bool travels_alone(std::uint64_t bytes, std::uint64_t room_bytes, bool forwards_all) {
  const std::uint64_t most =
      forwards_all ? room_bytes : std::min<std::uint64_t>(room_bytes, kMostForwardedBytes);
  return bytes > kLetterBlockBytes && (bytes < kForwardedBlockBytes || bytes > most);
}

// Writes and reads letters from their beginning to their end.
class LetterWriter {
 public:
  // `bytes`: about how long it will be.
  explicit LetterWriter(std::uint64_t bytes) { letter_.reserve(bytes); }
  void number(std::uint64_t value) { std::memcpy(room(sizeof value), &value, sizeof value); }
  // Memory for `bytes` more of it, until the next call.
  std::byte* room(std::uint64_t bytes) {
    letter_.resize(letter_.size() + bytes);
    return letter_.data() + letter_.size() - bytes;
  }
  std::vector<std::byte> take() { return std::move(letter_); }

 private:
  std::vector<std::byte> letter_;
};

class LetterReader {
 public:
  explicit LetterReader(const std::byte* letter) : next_(letter) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes(sizeof value), sizeof value);
    return value;
  }
  const std::byte* bytes(std::uint64_t count) {
    next_ += count;
    return next_ - count;
  }

 private:
  const std::byte* next_;
};

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_COLLECTIVES_LETTER_H_
