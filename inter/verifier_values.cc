#include "inter/verifier_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "inter/blocks.h"

namespace mpiactor::inter::verifier {
namespace {

std::uint64_t scrambled(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

std::uint64_t combined_order(std::uint64_t a, std::uint64_t b) {
  return scrambled(scrambled(std::min(a, b)) + 3 * std::max(a, b));
}

NodeBlocks blocks_of(const Scenario& scenario) {
  return {scenario.bytes, static_cast<int>(scenario.shape.nodes()), scenario.granule_bytes,
          scenario.cuts};
}

bool is_in(const ByteRange& range, std::uint64_t offset) {
  return range.offset <= offset && offset < range.offset + range.bytes;
}

}  // namespace

Atoms::Atoms(std::vector<std::uint64_t> boundaries) : boundaries_(std::move(boundaries)) {
  std::sort(boundaries_.begin(), boundaries_.end());
  boundaries_.erase(std::unique(boundaries_.begin(), boundaries_.end()), boundaries_.end());
}

std::size_t Atoms::index_at(std::uint64_t offset) const {
  const auto found = std::lower_bound(boundaries_.begin(), boundaries_.end(), offset);
  return static_cast<std::size_t>(found - boundaries_.begin());
}

std::vector<std::uint64_t> block_boundaries(const Scenario& scenario, BufferLayout layout) {
  const int nodes = static_cast<int>(scenario.shape.nodes());
  if (scenario.collective == Collective::kAlltoall) {
    std::vector<std::uint64_t> found = BlockMatrix(scenario).begins();
    if (layout == BufferLayout::kByDistance) found.resize(static_cast<std::size_t>(nodes) + 1);
    return found;
  }
  std::vector<std::uint64_t> found = {0, scenario.bytes};
  if (scenario.collective == Collective::kAllgather ||
      scenario.collective == Collective::kReduceScatter) {
    const NodeBlocks blocks = blocks_of(scenario);
    for (int node = 0; node < nodes; ++node) found.push_back(blocks.offset(node));
  }
  return found;
}

Memory::Memory(const Scenario& scenario, BufferLayout layout, Atoms atoms)
    : scenario_(scenario),
      layout_(layout),
      atoms_(std::move(atoms)),
      nodes_(static_cast<int>(scenario.shape.nodes())),
      words_(is_reduction() ? static_cast<std::size_t>(nodes_ + 63) / 64 : 1),
      contributors_(static_cast<std::size_t>(nodes_) * atoms_.count() * words_, 0),
      orders_(static_cast<std::size_t>(nodes_) * atoms_.count(), 0) {
  if (scenario.collective == Collective::kAlltoall) matrix_.emplace(scenario);
  for (int node = 0; node < nodes_; ++node) {
    for (std::size_t atom = 0; atom < atoms_.count(); ++atom) {
      if (!starts_with(node, atom)) continue;
      const auto bit = static_cast<unsigned>(is_reduction() ? node : 0);
      contributors_[slot(node, atom) * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
      orders_[slot(node, atom)] = is_by_distance() ? first_block(node, atom) : scrambled(bit + 1);
    }
  }
}

int Memory::slot_number(std::size_t atom) const {
  return matrix_->block_at(atoms_.begin(atom)).second;  // the first row is as long as the buffer
}

std::uint64_t Memory::first_block(int node, std::size_t atom) const {
  return matrix_->block(node, (node + slot_number(atom)) % nodes_).offset;
}

std::uint64_t Memory::last_block(int node, std::size_t atom) const {
  return matrix_->block((node - slot_number(atom) + nodes_) % nodes_, node).offset;
}

bool Memory::is_reduction() const {
  return scenario_.collective == Collective::kReduce ||
         scenario_.collective == Collective::kAllreduce ||
         scenario_.collective == Collective::kReduceScatter;
}

bool Memory::is_there(int node, std::size_t atom) const {
  const std::size_t first = slot(node, atom) * words_;
  return std::any_of(contributors_.begin() + static_cast<std::ptrdiff_t>(first),
                     contributors_.begin() + static_cast<std::ptrdiff_t>(first + words_),
                     [](std::uint64_t word) { return word != 0; });
}

bool Memory::is_complete(int node, std::size_t atom) const {
  int bits = 0;
  for (std::size_t word = 0; word < words_; ++word) {
    bits += std::popcount(contributors_[slot(node, atom) * words_ + word]);
  }
  return bits == (is_reduction() ? nodes_ : 1);
}

bool Memory::starts_with(int node, std::size_t atom) const {
  switch (scenario_.collective) {
    case Collective::kBcast:
      return node == scenario_.root_node;
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kReduceScatter:
      return true;
    case Collective::kAllgather:
      return is_in(blocks_of(scenario_).of(node), atoms_.begin(atom));
    case Collective::kAlltoall:
      return is_by_distance() || matrix_->block_at(atoms_.begin(atom)).first == node;
  }
  return false;
}

bool Memory::must_have(int node, std::size_t atom) const {
  switch (scenario_.collective) {
    case Collective::kBcast:
    case Collective::kAllreduce:
    case Collective::kAllgather:
      return true;
    case Collective::kReduce:
      return node == scenario_.root_node;
    case Collective::kReduceScatter:
      return is_in(blocks_of(scenario_).of(node), atoms_.begin(atom));
    case Collective::kAlltoall:
      return matrix_->block_at(atoms_.begin(atom)).second == node;
  }
  return false;
}

Value Memory::read(std::size_t atom, int node) const {
  const auto first = contributors_.begin() + static_cast<std::ptrdiff_t>(slot(node, atom) * words_);
  return {{first, first + static_cast<std::ptrdiff_t>(words_)}, orders_[slot(node, atom)]};
}

std::string Memory::receive(std::size_t atom, const Value& value, int from, int to, OpKind kind) {
  const bool sent_something = std::any_of(value.contributors.begin(), value.contributors.end(),
                                          [](std::uint64_t word) { return word != 0; });
  if (!sent_something) {
    return fmt::format("node {} sends byte {} to node {} before it has it", from,
                       atoms_.begin(atom), to);
  }
  if (kind != OpKind::kReceiveReduce) return overwrite(atom, value, from, to);
  if (!is_reduction()) {
    return fmt::format("node {} reduces byte {} (from node {}) in a collective that only moves", to,
                       atoms_.begin(atom), from);
  }
  return combine(atom, value, from, to);
}

std::string Memory::combine(std::size_t atom, const Value& value, int from, int to) {
  for (std::size_t word = 0; word < words_; ++word) {
    std::uint64_t& here = contributors_[slot(to, atom) * words_ + word];
    if ((here & value.contributors[word]) != 0) {
      return fmt::format("node {} adds a contribution to byte {} twice (from node {})", to,
                         atoms_.begin(atom), from);
    }
    here |= value.contributors[word];
  }
  std::uint64_t& order = orders_[slot(to, atom)];
  // In the order of the nodes: whoever has all contributions has combined them alike.
  order =
      scenario_.combines_in_node_order ? order + value.order : combined_order(order, value.order);
  return {};
}

std::string Memory::overwrite(std::size_t atom, const Value& value, int from, int to) {
  if (is_by_distance()) {  // in the place of what has been sent on
    orders_[slot(to, atom)] = value.order;
    return {};
  }
  if (is_reduction() ? is_complete(to, atom) : is_there(to, atom)) {
    return fmt::format("node {} receives byte {} though it has it (from node {})", to,
                       atoms_.begin(atom), from);
  }
  for (std::size_t word = 0; word < words_; ++word) {
    contributors_[slot(to, atom) * words_ + word] = value.contributors[word];
  }
  orders_[slot(to, atom)] = value.order;
  if (is_reduction() && !is_complete(to, atom)) {
    return fmt::format("node {} receives byte {} from node {} before all have contributed", to,
                       atoms_.begin(atom), from);
  }
  return {};
}

std::string Memory::check_slot(int node, std::size_t atom) const {
  const auto [from, to] = matrix_->block_at(orders_[slot(node, atom)]);
  if (orders_[slot(node, atom)] == last_block(node, atom)) return {};
  return fmt::format("slot {} of node {} holds what node {} gives node {} in the end",
                     slot_number(atom), node, from, to);
}

std::string Memory::check_final() const {
  for (int node = 0; node < nodes_; ++node) {
    for (std::size_t atom = 0; atom < atoms_.count(); ++atom) {
      if (is_by_distance()) {
        const std::string error = check_slot(node, atom);
        if (!error.empty()) return error;
        continue;
      }
      if (!must_have(node, atom)) continue;
      if (!is_complete(node, atom)) {
        return fmt::format("node {} {} byte {}", node,
                           is_reduction() ? "lacks contributions to" : "never receives",
                           atoms_.begin(atom));
      }
      if (is_reduction() && scenario_.collective == Collective::kAllreduce &&
          orders_[slot(node, atom)] != orders_[slot(0, atom)]) {
        return fmt::format("nodes 0 and {} combine byte {} in different orders", node,
                           atoms_.begin(atom));
      }
    }
  }
  return {};
}

}  // namespace mpiactor::inter::verifier
