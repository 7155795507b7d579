// What the members of a node say to, or hear from, a root on another node in one message: how many
// bytes each of them gives or takes, then the short blocks themselves. Longer ones follow in
// messages of their own.
#ifndef MPIACTOR_ACTOR_COLLECTIVES_LETTER_H_
#define MPIACTOR_ACTOR_COLLECTIVES_LETTER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "inter/ways.h"

namespace mpiactor {

using inter::kLetterBlockBytes;
using inter::travels_alone;

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
