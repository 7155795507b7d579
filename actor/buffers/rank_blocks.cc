#include "actor/buffers/rank_blocks.h"

#include <algorithm>

#include "actor/shm/copy.h"

namespace mpiactor {

RankBlocks::RankBlocks(void* buffer, MPI_Count count, MPI_Datatype type, int ranks)
    : buffer_(static_cast<std::byte*>(buffer)), count_(count), type_(type), ranks_(ranks) {
  if (is_builtin(type)) {
    element_bytes_ = builtin_bytes(type);
    contiguous_ = true;
    extent_ = static_cast<MPI_Aint>(element_bytes_);
    return;
  }
  std::byte here{};
  const Message one(&here, 1, type);
  element_bytes_ = one.bytes();
  contiguous_ = one.contiguous() != nullptr;
  MPI_Aint lower_bound = 0;
  PMPI_Type_get_extent(type, &lower_bound, &extent_);
}

RankBlocks::RankBlocks(void* buffer, CountArray counts, CountArray displacements, MPI_Datatype type,
                       int ranks)
    : RankBlocks(buffer, 0, type, ranks) {
  counts_ = counts;
  displacements_ = displacements;
}

std::uint64_t RankBlocks::bytes(int rank) const {
  return static_cast<std::uint64_t>(count(rank)) * element_bytes_;
}

std::uint64_t RankBlocks::total_bytes() const {
  if (!counts_) return bytes(0) * static_cast<std::uint64_t>(ranks_);
  std::uint64_t total = 0;
  for (int rank = 0; rank < ranks_; ++rank) total += bytes(rank);
  return total;
}

std::byte* RankBlocks::address(int rank) const {
  const MPI_Aint element =
      displacements_ ? displacements_[rank] : static_cast<MPI_Aint>(rank) * count_;
  return buffer_ + element * extent_;
}

const void* RankBlocks::first_byte() const {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (bytes(rank) != 0) return message(rank).first_byte();
  }
  return nullptr;
}

std::byte* RankBlocks::contiguous(int rank) const { return contiguous_ ? address(rank) : nullptr; }

RankBlocks::Scratch& RankBlocks::scratch(int rank) {
  scratch_.resize(static_cast<std::size_t>(ranks_));
  Scratch& block = scratch_[static_cast<std::size_t>(rank)];
  if (block.packed.size() != bytes(rank)) block.packed = inter::KeptBytes(bytes(rank));
  return block;
}

const std::byte* RankBlocks::packed(int rank) {
  if (contiguous_) return address(rank);
  Scratch& block = scratch(rank);
  if (!block.is_packed && block.written_bytes == 0) message(rank).pack(block.packed.data());
  block.is_packed = true;
  return block.packed.data();
}

void RankBlocks::read(int rank, std::uint64_t offset, std::uint64_t bytes, std::byte* out) {
  if (bytes != 0) shm::copy_bytes(out, packed(rank) + offset, bytes);
}

void RankBlocks::lay_down(int rank, std::uint64_t offset, std::uint64_t bytes, std::byte* out) {
  if (bytes != 0) shm::copy_to_shared(out, packed(rank) + offset, bytes);
}

void RankBlocks::write(int rank, std::uint64_t offset, std::uint64_t bytes, const std::byte* in) {
  if (bytes == 0) return;
  if (contiguous_) {
    shm::copy_bytes(address(rank) + offset, in, bytes);
    return;
  }
  Scratch& block = scratch(rank);
  shm::copy_bytes(block.packed.data() + offset, in, bytes);
  block.written_bytes = std::max(block.written_bytes, offset + bytes);
}

void copy_block(RankBlocks& to, int to_rank, RankBlocks& from, int from_rank) {
  // Ordinary stores would first fetch what they overwrite.
  constexpr std::uint64_t kBeyondCaches = 4 << 20;
  const std::uint64_t bytes = from.bytes(from_rank);
  if (bytes >= kBeyondCaches && to.contiguous(to_rank)) {
    shm::copy_past_caches(to.contiguous(to_rank), from.packed(from_rank), bytes);
  } else {
    to.write(to_rank, 0, bytes, from.packed(from_rank));
  }
}

void RankBlocks::finish() {
  for (std::size_t rank = 0; rank < scratch_.size(); ++rank) {
    const Scratch& block = scratch_[rank];
    if (block.written_bytes == 0) continue;
    message(static_cast<int>(rank)).unpack(block.packed.data(), block.written_bytes);
  }
}

bool copy_what_fits(RankBlocks& from, int block, RankBlocks& to, int to_block) {
  const std::uint64_t bytes = from.bytes(block);
  const std::uint64_t room = to.bytes(to_block);
  const std::byte* source = from.contiguous(block);
  if (source && source == to.contiguous(to_block)) return bytes > room;
  std::vector<std::byte> packed;
  if (!source) {
    packed.resize(bytes);
    from.read(block, 0, bytes, packed.data());
    source = packed.data();
  }
  to.write(to_block, 0, std::min(bytes, room), source);
  return bytes > room;
}

}  // namespace mpiactor
