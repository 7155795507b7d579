#include "actor/between/block_receiver.h"

namespace mpiactor {

void BlockReceiver::expect(int block, int rank, PointToPoint::Kind kind) {
  std::optional<PointToPoint::Kind>& known = kinds_[static_cast<std::size_t>(block)];
  if (known == kind) return;
  give_up(block);
  known = kind;
  Expected& expected = expected_.emplace_back(Expected{block, 0, {}});
  std::byte* to = to_.contiguous(block);
  if (!to) {
    expected.packed.resize(to_.bytes(block));
    to = expected.packed.data();
  }
  expected.id = p2p_.receive(to, to_.bytes(block), rank, kind);
}

void BlockReceiver::give_up(int block) {
  std::optional<PointToPoint::Kind>& known = kinds_[static_cast<std::size_t>(block)];
  if (!known) return;
  known.reset();
  std::erase_if(expected_, [&](const Expected& expected) {
    if (expected.block != block) return false;
    p2p_.take_back(expected.id);
    return true;
  });
}

// True where the block is there.
bool BlockReceiver::finish(const Expected& expected) {
  if (!p2p_.is_done(expected.id)) return false;
  if (!expected.packed.empty()) {
    to_.write(expected.block, 0, p2p_.bytes_of(expected.id), expected.packed.data());
  }
  return true;
}

bool BlockReceiver::step() {
  return std::erase_if(expected_, [&](const Expected& expected) { return finish(expected); }) != 0;
}

}  // namespace mpiactor
