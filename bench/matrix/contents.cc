#include "bench/matrix/contents.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace mpiactor::bench {
namespace {

// Prime, so that no segment length is a multiple of it and segments cannot change places unseen.
constexpr std::size_t kPeriod = 251;
constexpr int kSpoiled = -1;

using Values = std::array<int, kPeriod>;

std::size_t block_count(Blocks blocks, int ranks) {
  if (blocks == Blocks::kNone) return 0;
  return blocks == Blocks::kOne ? 1 : static_cast<std::size_t>(ranks);
}

bool sends(const Share& share) {
  return share.collective->direction != Direction::kFromRoot || share.rank == share.root;
}

bool receives(const Share& share) {
  return share.collective->direction != Direction::kToRoot || share.rank == share.root;
}

Values sent_values(int source, int block, unsigned salt) {
  Values values{};
  for (std::size_t index = 0; index < kPeriod; ++index) {
    values[index] = sent_value(source, block, index, salt);
  }
  return values;
}

// What `share.rank` must find in block `block` of its receive buffer.
Values expected_values(const Share& share, int block) {
  const int own_block = share.collective->send == Blocks::kEachRank ? share.rank : 0;
  if (!share.collective->reduces) {
    const int source = share.collective->receive == Blocks::kEachRank ? block : share.root;
    return sent_values(source, own_block, share.salt);
  }
  Values sums{};
  for (int source = 0; source < share.ranks; ++source) {
    for (std::size_t index = 0; index < kPeriod; ++index) {
      sums[index] += sent_value(source, own_block, index, share.salt);
    }
  }
  return sums;
}

template <typename Element>
void fill(const Share& share, Element* send, Element* receive) {
  const std::size_t received = block_count(share.collective->receive, share.ranks) * share.count;
  for (std::size_t index = 0; index < received; ++index) {
    receive[index] = static_cast<Element>(kSpoiled);
  }
  if (!sends(share)) return;
  const bool in_receive_buffer = share.collective->send == Blocks::kNone;
  Element* out = in_receive_buffer ? receive : send;
  const Blocks blocks = in_receive_buffer ? share.collective->receive : share.collective->send;
  for (std::size_t block = 0; block < block_count(blocks, share.ranks); ++block) {
    const Values values = sent_values(share.rank, static_cast<int>(block), share.salt);
    for (std::size_t index = 0; index < share.count; ++index) {
      *out++ = static_cast<Element>(values[index % kPeriod]);
    }
  }
}

template <typename Element>
std::optional<std::size_t> find_wrong(const Share& share, const Element* receive) {
  if (!receives(share)) return std::nullopt;
  std::size_t position = 0;
  for (std::size_t block = 0; block < block_count(share.collective->receive, share.ranks);
       ++block) {
    const Values values = expected_values(share, static_cast<int>(block));
    for (std::size_t index = 0; index < share.count; ++index, ++position) {
      if (receive[position] != static_cast<Element>(values[index % kPeriod])) return position;
    }
  }
  return std::nullopt;
}

// Calls `work` with a null pointer of the element's type.
template <typename Work>
auto with_element(ElementKind kind, Work work) {
  switch (kind) {
    case ElementKind::kInt:
      return work(static_cast<int*>(nullptr));
    case ElementKind::kFloat:
      return work(static_cast<float*>(nullptr));
    case ElementKind::kDouble:
      return work(static_cast<double*>(nullptr));
  }
  throw std::logic_error("unknown element type");
}

}  // namespace

ElementType parse_element_type(std::string_view name) {
  if (name == "int") return {"int", ElementKind::kInt, MPI_INT, sizeof(int)};
  if (name == "float") return {"float", ElementKind::kFloat, MPI_FLOAT, sizeof(float)};
  if (name == "double") return {"double", ElementKind::kDouble, MPI_DOUBLE, sizeof(double)};
  throw std::invalid_argument(
      fmt::format("'{}' is not an element type: choose from int, float, double", name));
}

int sent_value(int source, int block, std::size_t index, unsigned salt) {
  const auto mixed = static_cast<std::size_t>(source) * 37 + static_cast<std::size_t>(block) * 101 +
                     static_cast<std::size_t>(salt) * 7 + index;
  return static_cast<int>(mixed % kPeriod);
}

void fill_contents(const Share& share, void* send, void* receive) {
  with_element(share.kind, [&]<typename Element>(Element*) {
    fill(share, static_cast<Element*>(send), static_cast<Element*>(receive));
  });
}

std::optional<std::size_t> find_wrong_element(const Share& share, const void* receive) {
  return with_element(share.kind, [&]<typename Element>(Element*) {
    return find_wrong(share, static_cast<const Element*>(receive));
  });
}

}  // namespace mpiactor::bench
