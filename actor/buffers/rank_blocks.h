// A user's buffer as one block of packed bytes for each rank.
#ifndef MPIACTOR_ACTOR_BUFFERS_RANK_BLOCKS_H_
#define MPIACTOR_ACTOR_BUFFERS_RANK_BLOCKS_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "actor/buffers/message.h"
#include "inter/kept_bytes.h"

namespace mpiactor {

// The type of displacements beside counts of the type `Count`. MPI_Aint and MPI_Count may be two
// types, of one size.
template <typename Count>
using Displacement = std::conditional_t<std::is_same_v<Count, int>, int, MPI_Aint>;

// Counts or displacements of a call, one for each rank: of a plain one or of one for large counts.
class CountArray {
 public:
  CountArray() = default;
  template <typename Value>
  explicit CountArray(const Value* values)
      : values_(reinterpret_cast<const std::byte*>(values)), value_bytes_(sizeof(Value)) {
    static_assert(std::is_same_v<Value, int> ||
                  (std::is_integral_v<Value> && sizeof(Value) == sizeof(MPI_Count)));
  }

  explicit operator bool() const { return values_; }
  MPI_Count operator[](int rank) const {
    return value_bytes_ == sizeof(int) ? read<int>(rank) : read<MPI_Count>(rank);
  }

 private:
  template <typename Value>
  Value read(int rank) const {
    Value value;
    std::memcpy(&value, values_ + static_cast<std::size_t>(rank) * sizeof value, sizeof value);
    return value;
  }

  const std::byte* values_ = nullptr;
  std::size_t value_bytes_ = 0;
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
  const std::byte* packed(int rank);
  // Packed bytes [offset, offset + bytes) of a block. Types with gaps are packed once, at the first
  // read, so read before the first write.
  void read(int rank, std::uint64_t offset, std::uint64_t bytes, std::byte* out);
  // The same, to memory that other members read next.
  void lay_down(int rank, std::uint64_t offset, std::uint64_t bytes, std::byte* out);
  void write(int rank, std::uint64_t offset, std::uint64_t bytes, const std::byte* in);
  // After the last write: unpacks types with gaps, of each block that was written all up to the
  // last byte that was.
  void finish();

 private:
  MPI_Count count(int rank) const { return counts_ ? counts_[rank] : count_; }
  Message message(int rank) const { return {address(rank), count(rank), type_}; }

  // A block of a type with gaps. Calls are copied before anything is read or written.
  struct Scratch {
    Scratch() = default;
    Scratch(const Scratch&) : Scratch() {}
    Scratch(Scratch&&) = default;
    inter::KeptBytes packed;
    bool is_packed = false;
    std::uint64_t written_bytes = 0;  // from its beginning on
  };
  Scratch& scratch(int rank);

  std::byte* buffer_;
  MPI_Count count_ = 0;
  CountArray counts_;
  CountArray displacements_;
  MPI_Datatype type_;
  int ranks_;
  std::uint64_t element_bytes_;
  MPI_Aint extent_ = 0;
  bool contiguous_;
  std::vector<Scratch> scratch_;
};

// All of a block, to one of the same size that does not overlap it.
void copy_block(RankBlocks& to, int to_rank, RankBlocks& from, int from_rank);
// Copies block `block` of `from` to block `to_block` of `to`, as much of it as there is room for.
// Returns whether that was not all. Nothing is done where both are one.
bool copy_what_fits(RankBlocks& from, int block, RankBlocks& to, int to_block);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_BUFFERS_RANK_BLOCKS_H_
