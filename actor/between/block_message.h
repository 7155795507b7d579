// What the members of a node say to, or hear from, a root on another node in one message: how many
// bytes each of them gives or takes, then the short blocks themselves. Longer ones follow in
// messages of their own.
#ifndef MPIACTOR_ACTOR_BETWEEN_BLOCK_MESSAGE_H_
#define MPIACTOR_ACTOR_BETWEEN_BLOCK_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "inter/ways.h"

namespace mpiactor {

using inter::kJoinedBlockBytes;
using inter::travels_alone;

// Writes and reads block messages from their beginning to their end.
class BlockMessageWriter {
 public:
  // `bytes`: about how long it will be.
  explicit BlockMessageWriter(std::uint64_t bytes) { message_.reserve(bytes); }
  void number(std::uint64_t value) { std::memcpy(room(sizeof value), &value, sizeof value); }
  // Memory for `bytes` more of it, until the next call.
  std::byte* room(std::uint64_t bytes) {
    message_.resize(message_.size() + bytes);
    return message_.data() + message_.size() - bytes;
  }
  std::vector<std::byte> take() { return std::move(message_); }

 private:
  std::vector<std::byte> message_;
};

class BlockMessageReader {
 public:
  explicit BlockMessageReader(const std::byte* message) : next_(message) {}
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

#endif  // MPIACTOR_ACTOR_BETWEEN_BLOCK_MESSAGE_H_
