#include "tests/differential/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace differential {

namespace {

// Room on both sides, whose bytes must stay. A multiple of every type's alignment.
constexpr std::ptrdiff_t kRoom = 128;

}  // namespace

std::vector<Block> blocks_in_a_row(const std::vector<std::int64_t>& counts) {
  std::vector<Block> blocks;
  std::int64_t at = 0;
  for (const std::int64_t count : counts) {
    blocks.push_back({count, at});
    at += count;
  }
  return blocks;
}

std::vector<Block> scattered_blocks(const std::vector<std::int64_t>& counts, Random& random) {
  std::vector<Block> blocks(counts.size());
  const bool any_order = random.one_in(2);
  const bool apart = random.one_in(2);
  const std::vector<int> order = random.permutation(static_cast<int>(counts.size()));
  std::int64_t at = random.below(3);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t which = any_order ? static_cast<std::size_t>(order[i]) : i;
    blocks[which] = {counts[which], at};
    at += counts[which] + (apart ? random.below(3) : 0);
  }
  return blocks;
}

Buffer::Buffer(Layout layout, std::vector<Block> blocks)
    : layout_(std::move(layout)), blocks_(std::move(blocks)), passed_type_(layout_.type) {
  std::ptrdiff_t lower = 0;
  std::ptrdiff_t upper = 0;
  for (const Block& block : blocks_) {
    if (block.count == 0) continue;
    const std::ptrdiff_t first = block.at * layout_.extent;
    const std::ptrdiff_t last = (block.at + block.count - 1) * layout_.extent;
    lower = std::min(lower, first + layout_.lower);
    upper = std::max(upper, last + layout_.upper);
  }
  // The origin keeps the allocation's alignment.
  const std::ptrdiff_t before = (kRoom - lower + 15) / 16 * 16;
  origin_ = static_cast<std::size_t>(before);
  data_.resize(static_cast<std::size_t>(before + upper + kRoom));
  expected_.resize(data_.size());
}

void Buffer::make_absolute() {
  passed_type_ = absolute_layout(layout_, origin(), 1).type;
  absolute_ = true;
}

void Buffer::release_types() {
  passed_type_.release();
  layout_.type.release();
}

void Buffer::reset(std::uint64_t key) {
  for (std::size_t i = 0; i < data_.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = mix(key + kGolden * i);
    std::memcpy(data_.data() + i, &word, std::min(sizeof(word), data_.size() - i));
  }
  expected_ = data_;
  ignored_.clear();
}

template <typename Visit>
void Buffer::visit_pieces(std::size_t block, std::size_t bytes, Visit&& visit) const {
  std::size_t done = 0;
  for (std::int64_t i = 0; i < blocks_[block].count && done < bytes; ++i) {
    const std::ptrdiff_t element = (blocks_[block].at + i) * layout_.extent;
    for (const Piece& piece : layout_.pieces) {
      const std::size_t now = std::min(static_cast<std::size_t>(piece.bytes), bytes - done);
      visit(origin_ + static_cast<std::size_t>(element + piece.at), done, now);
      done += now;
      if (done == bytes) return;
    }
  }
}

void Buffer::put(std::size_t block, const Bytes& packed) {
  visit_pieces(block, packed.size(), [&](std::size_t at, std::size_t from, std::size_t bytes) {
    std::memcpy(data_.data() + at, packed.data() + from, bytes);
  });
  expect(block, packed);
}

void Buffer::expect(std::size_t block, const Bytes& packed) {
  visit_pieces(block, packed.size(), [&](std::size_t at, std::size_t from, std::size_t bytes) {
    std::memcpy(expected_.data() + at, packed.data() + from, bytes);
  });
}

void Buffer::ignore(std::size_t block) { ignored_.push_back(block); }

std::string Buffer::place_of(std::size_t byte) const {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    std::optional<std::string> found;
    visit_pieces(block, block_bytes(block), [&](std::size_t at, std::size_t from, std::size_t n) {
      if (byte < at || byte >= at + n) return;
      found = fmt::format("byte {} of the {} packed bytes of block {}", from + byte - at,
                          block_bytes(block), block);
    });
    if (found) return *found;
  }
  return "a byte that must not be touched";
}

std::optional<std::string> Buffer::difference() const {
  if (data_ == expected_) return std::nullopt;
  Bytes got = data_;
  for (const std::size_t block : ignored_) {
    visit_pieces(block, block_bytes(block), [&](std::size_t at, std::size_t, std::size_t bytes) {
      std::memcpy(got.data() + at, expected_.data() + at, bytes);
    });
  }
  if (got == expected_) return std::nullopt;
  std::size_t first = 0;
  while (got[first] == expected_[first]) ++first;
  std::size_t wrong = 0;
  for (std::size_t i = first; i < got.size(); ++i) wrong += got[i] != expected_[i] ? 1 : 0;
  return fmt::format("at {} from the origin, {}: 0x{:02x}, not 0x{:02x}; {} bytes are wrong",
                     static_cast<std::ptrdiff_t>(first) - static_cast<std::ptrdiff_t>(origin_),
                     place_of(first), static_cast<unsigned>(got[first]),
                     static_cast<unsigned>(expected_[first]), wrong);
}

}  // namespace differential
