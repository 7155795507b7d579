// Memory that is passed to a call. Every byte of it is known before and after: data, the gaps of
// types, what lies between blocks, and room on both sides.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_BUFFER_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/differential/layout.h"
#include "tests/differential/random.h"

namespace differential {

// `count` elements of a layout, the first one `at` extents from the origin.
struct Block {
  std::int64_t count = 0;
  std::int64_t at = 0;
};

// Blocks with these counts: one behind the other, or at random places in any order.
std::vector<Block> blocks_in_a_row(const std::vector<std::int64_t>& counts);
std::vector<Block> scattered_blocks(const std::vector<std::int64_t>& counts, Random& random);

using Bytes = std::vector<std::byte>;

class Buffer {
 public:
  Buffer() = default;  // none: a null address and no type
  Buffer(Layout layout, std::vector<Block> blocks);

  bool exists() const { return !data_.empty(); }
  // What is passed to MPI. After make_absolute() the address is MPI_BOTTOM; elements, counts and
  // displacements stay what they were.
  void* address() { return absolute_ ? MPI_BOTTOM : origin(); }
  MPI_Datatype type() const { return passed_type_.get(); }
  void make_absolute();
  // MPI lets a type go while calls with it are under way.
  void release_types();

  const Layout& layout() const { return layout_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  // The packed bytes of a block.
  std::size_t block_bytes(std::size_t block) const {
    return static_cast<std::size_t>(blocks_[block].count * layout_.bytes);
  }

  // Random bytes everywhere, which are also what is expected.
  void reset(std::uint64_t key);
  // Puts packed bytes into a block, now.
  void put(std::size_t block, const Bytes& packed);
  // The block's first packed.size() bytes will be these.
  void expect(std::size_t block, const Bytes& packed);
  // Nothing is known about the block's bytes.
  void ignore(std::size_t block);

  // The first byte that is wrong, in words.
  std::optional<std::string> difference() const;

 private:
  std::byte* origin() { return data_.data() + origin_; }
  template <typename Visit>
  void visit_pieces(std::size_t block, std::size_t bytes, Visit&& visit) const;
  std::string place_of(std::size_t byte) const;

  Layout layout_;
  std::vector<Block> blocks_;
  OwnedType passed_type_;
  bool absolute_ = false;
  std::size_t origin_ = 0;
  Bytes data_;
  Bytes expected_;
  std::vector<std::size_t> ignored_;
};

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_BUFFER_H_
