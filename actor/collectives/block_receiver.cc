#include "actor/collectives/block_receiver.h"

namespace mpiactor {

void BlockReceiver::expect(int block, int rank, MailKind kind) {
  std::optional<MailKind>& known = kinds_[static_cast<std::size_t>(block)];
  if (known == kind) return;
  give_up(block);
  known = kind;
  Expected& expected = expected_.emplace_back(Expected{block, 0, {}});
  std::byte* to = to_.contiguous(block);
  if (!to) {
    expected.packed.resize(to_.bytes(block));
    to = expected.packed.data();
  }
  expected.id = mail_.receive(to, to_.bytes(block), rank, kind);
}

void BlockReceiver::give_up(int block) {
  std::optional<MailKind>& known = kinds_[static_cast<std::size_t>(block)];
  if (!known) return;
  known.reset();
  std::erase_if(expected_, [&](const Expected& expected) {
    if (expected.block != block) return false;
    mail_.take_back(expected.id);
    return true;
  });
}

// True where the block is there.
bool BlockReceiver::finish(const Expected& expected) {
  if (!mail_.is_done(expected.id)) return false;
  if (!expected.packed.empty()) {
    to_.write(expected.block, 0, mail_.bytes_of(expected.id), expected.packed.data());
  }
  return true;
}

bool BlockReceiver::step() {
  return std::erase_if(expected_, [&](const Expected& expected) { return finish(expected); }) != 0;
}

}  // namespace mpiactor
