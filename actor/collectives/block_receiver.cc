#include "actor/collectives/block_receiver.h"

#include <algorithm>

namespace mpiactor {

void BlockReceiver::expect(int block, int rank, MailKind kind) {
  const std::uint64_t bytes = to_.bytes(block);
  Expected& expected = expected_.emplace_back(Expected{block, rank, kind, bytes, true, 0, {}});
  std::byte* to = to_.contiguous(block);
  if (!to) {
    expected.packed.resize(bytes);
    to = expected.packed.data();
  }
  expected.id = mail_.receive(to, bytes, rank, kind);
}

void BlockReceiver::expect_exactly(int block, int rank, MailKind kind, std::uint64_t bytes) {
  give_up(block);
  if (bytes == to_.bytes(block)) {
    expect(block, rank, kind);
  } else {
    expected_.push_back({block, rank, kind, bytes, false, 0, {}});
  }
}

void BlockReceiver::give_up(int block) {
  std::erase_if(expected_, [&](const Expected& expected) {
    if (expected.block != block) return false;
    if (expected.is_posted) mail_.take_back(expected.id);
    return true;
  });
}

// True where the block is there.
bool BlockReceiver::finish(Expected& expected) {
  if (!expected.is_posted) {
    auto letter = mail_.find(expected.kind, expected.rank, expected.bytes);
    if (!letter) return false;
    expected.packed.resize(letter->bytes);
    expected.id = mail_.receive(*letter, expected.packed.data());
    expected.is_posted = true;
  }
  if (!mail_.is_done(expected.id)) return false;
  const std::uint64_t room = to_.bytes(expected.block);
  truncated_ |= expected.bytes > room;
  if (!expected.packed.empty()) {
    to_.write(expected.block, 0, std::min<std::uint64_t>(expected.packed.size(), room),
              expected.packed.data());
  }
  return true;
}

bool BlockReceiver::step() {
  return std::erase_if(expected_, [&](Expected& expected) { return finish(expected); }) != 0;
}

}  // namespace mpiactor
