// Blocks of a wrong program: of another size than all ranks believe in.
#ifndef MPIACTOR_ACTOR_INTERPOSE_FITTED_BLOCKS_H_
#define MPIACTOR_ACTOR_INTERPOSE_FITTED_BLOCKS_H_

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "actor/buffers/rank_blocks.h"

namespace mpiactor::interpose {

// Blocks that a rank gives, each `bytes` long: as they are; else in a copy, cut off or filled up.
class FittedBlocks {
 public:
  FittedBlocks(RankBlocks& blocks, std::uint64_t bytes) : blocks_(blocks) {
    if (blocks.bytes(0) == bytes) return;
    is_cut_off_ = blocks.bytes(0) > bytes;
    const auto ranks = static_cast<std::uint64_t>(blocks.ranks());
    copy_.resize(std::max<std::uint64_t>(ranks * bytes, 1));
    for (int rank = 0; rank < blocks.ranks(); ++rank) {
      blocks.read(rank, 0, std::min(blocks.bytes(rank), bytes),
                  copy_.data() + static_cast<std::uint64_t>(rank) * bytes);
    }
    fitted_.emplace(copy_.data(), static_cast<MPI_Count>(bytes), MPI_BYTE, blocks.ranks());
  }

  RankBlocks& get() { return fitted_ ? *fitted_ : blocks_; }
  // MPI_SUCCESS, or the error of a rank that gives more than there is room for.
  int error() const { return is_cut_off_ ? MPI_ERR_TRUNCATE : MPI_SUCCESS; }

 private:
  RankBlocks& blocks_;
  std::vector<std::byte> copy_;
  std::optional<RankBlocks> fitted_;
  bool is_cut_off_ = false;
};

}  // namespace mpiactor::interpose

#endif  // MPIACTOR_ACTOR_INTERPOSE_FITTED_BLOCKS_H_
