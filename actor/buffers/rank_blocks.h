// A user's buffer as one block of packed bytes for each rank.
#ifndef MPIACTOR_ACTOR_BUFFERS_RANK_BLOCKS_H_
#define MPIACTOR_ACTOR_BUFFERS_RANK_BLOCKS_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "actor/buffers/message.h"

namespace mpiactor {

// Counts or displacements of a call, one for each rank: of a plain one or of one for large counts.
class CountArray {
 public:
  CountArray() = default;
  explicit CountArray(const int* values) : plain_(values) {}
  explicit CountArray(const MPI_Count* values) : large_(values) {}

  explicit operator bool() const { return plain_ || large_; }
  MPI_Count operator[](int rank) const { return plain_ ? plain_[rank] : large_[rank]; }

 private:
  static_assert(std::is_same_v<MPI_Count, MPI_Aint>);  // the type of large displacements
  const int* plain_ = nullptr;
  const MPI_Count* large_ = nullptr;
};

class RankBlocks {
 public:
  // Block r: `count` elements from element r * count on.
  RankBlocks(void* buffer, MPI_Count count, MPI_Datatype type, int ranks);
  // Block r: counts[r] elements from element displacements[r] on. The arrays must outlive this.
  RankBlocks(void* buffer, CountArray counts, CountArray displacements, MPI_Datatype type,
             int ranks);

  int ranks() const { return ranks_; }
  std::uint64_t bytes(int rank) const;
  std::uint64_t total_bytes() const;
  // Of the first element of block `rank`, as its type counts.
  std::byte* address(int rank) const;
  // Of the first block that is not empty, see Message.
  const void* first_byte() const;
  // Where block `rank` lies with its bytes in packed order; nullptr where the type has gaps.
  std::byte* contiguous(int rank) const;

  // Packed bytes of a block, where they lie. As with read().
  const std::byte* packed(int rank) { return contiguous_ ? address(rank) : scratch(rank); }
  // Packed bytes [offset, offset + bytes) of a block. Types with gaps are packed once, at the first
  // read, so read before the first write.
  void read(int rank, std::uint64_t offset, std::uint64_t bytes, std::byte* out);
  // The same, to memory that other members read next.
  void lay_down(int rank, std::uint64_t offset, std::uint64_t bytes, std::byte* out);
  void write(int rank, std::uint64_t offset, std::uint64_t bytes, const std::byte* in);
  // After the last write of whole blocks: unpacks types with gaps.
  void finish();

 private:
  MPI_Count count(int rank) const { return counts_ ? counts_[rank] : count_; }
  Message message(int rank) const { return {address(rank), count(rank), type_}; }
  std::byte* scratch(int rank);

  std::byte* buffer_;
  MPI_Count count_ = 0;
  CountArray counts_;
  CountArray displacements_;
  MPI_Datatype type_;
  int ranks_;
  std::uint64_t element_bytes_;
  MPI_Aint extent_ = 0;
  bool contiguous_;
  std::vector<std::vector<std::byte>> scratch_;  // a block each, types with gaps alone
  std::vector<bool> written_;
};

// All of a block, to one of the same size that does not overlap it.
void copy_block(RankBlocks& to, int to_rank, RankBlocks& from, int from_rank);
// Copies block `block` of `from` to block `to_block` of `to`, as much of it as there is room for.
// Returns whether that was not all. Nothing is done where both are one.
bool copy_what_fits(RankBlocks& from, int block, RankBlocks& to, int to_block);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BUFFERS_RANK_BLOCKS_H_
