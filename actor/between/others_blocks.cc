#include "actor/between/others_blocks.h"

namespace mpiactor {

OthersBlocks::OthersBlocks(const NodeMap& nodes, int root_node, RankBlocks& all,
                           std::uint64_t offset, std::uint64_t bytes)
    : nodes_(nodes), all_(all), offset_(offset), bytes_(bytes) {
  const bool in_place = lie_together();
  for (int node = 0; node < nodes.nodes(); ++node) {
    if (node == root_node) continue;
    const inter::RankList ranks = nodes.members(node);
    const std::uint64_t at =
        in_place ? static_cast<std::uint64_t>(ranks.front()) * bytes : buffer_bytes_;
    transfers_.push_back({node, at, ranks.size() * bytes});
    buffer_bytes_ += transfers_.back().bytes;
  }
  if (in_place) {
    buffer_ = all.contiguous(0);
    buffer_bytes_ = all.total_bytes();
  } else {
    packed_ = inter::KeptBytes(buffer_bytes_);
    buffer_ = packed_.data();
  }
}

bool OthersBlocks::lie_together() const {
  if (!all_.contiguous(0) || bytes_ != all_.bytes(0)) return false;
  for (int node = 0; node < nodes_.nodes(); ++node) {
    const inter::RankList ranks = nodes_.members(node);
    const int last = ranks[ranks.size() - 1];
    if (last - ranks.front() + 1 != static_cast<int>(ranks.size())) return false;
  }
  return true;
}

template <typename Use>
void OthersBlocks::for_each_packed(Use use) {
  std::byte* block = packed_.data();
  if (!block) return;
  for (const inter::Transfer& transfer : transfers_) {
    for (const int rank : nodes_.members(transfer.peer)) {
      use(rank, block);
      block += bytes_;
    }
  }
}

void OthersBlocks::pack() {
  for_each_packed([&](int rank, std::byte* block) { all_.read(rank, offset_, bytes_, block); });
}

void OthersBlocks::unpack() {
  for_each_packed([&](int rank, std::byte* block) { all_.write(rank, offset_, bytes_, block); });
}

}  // namespace mpiactor
