// What every node's memory holds while the verifier runs a collective, and what it must hold.
#ifndef MPIACTOR_INTER_VERIFIER_VALUES_H_
#define MPIACTOR_INTER_VERIFIER_VALUES_H_

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inter/verifier.h"
#include "inter/verifier_blocks.h"

namespace mpiactor::inter::verifier {

// The message cut at every boundary that any operation, segment or block has; pieces in between are
// moved as a whole.
class Atoms {
 public:
  explicit Atoms(std::vector<std::uint64_t> boundaries);
  std::size_t count() const { return boundaries_.empty() ? 0 : boundaries_.size() - 1; }
  std::size_t index_at(std::uint64_t offset) const;
  std::uint64_t begin(std::size_t atom) const { return boundaries_[atom]; }

 private:
  std::vector<std::uint64_t> boundaries_;
};

// Boundaries of the blocks that belong to single nodes, and of all.
std::vector<std::uint64_t> block_boundaries(const Scenario& scenario, BufferLayout layout);

// One atom's value on one node, by its origin. Reductions: whose contributions it holds, one bit a
// node, and in `order` in which order they were combined (equal for a + b and b + a, as for the
// operations of MPI, but not for (a + b) + c and a + (b + c)). Else: one bit, there or not, and in
// alltoall by distance in `order` the block that it is of.
struct Value {
  boost::container::small_vector<std::uint64_t, 1> contributors;
  std::uint64_t order = 0;
};

class Memory {
 public:
  Memory(const Scenario& scenario, BufferLayout layout, Atoms atoms);

  const Atoms& atoms() const { return atoms_; }
  Value read(std::size_t atom, int node) const;
  // Takes one atom's value, sent by `from`; returns an error or nothing.
  std::string receive(std::size_t atom, const Value& value, int from, int to, OpKind kind);
  std::string check_final() const;

 private:
  std::size_t slot(int node, std::size_t atom) const {
    return static_cast<std::size_t>(node) * atoms_.count() + atom;
  }
  bool is_reduction() const;
  bool is_by_distance() const { return layout_ == BufferLayout::kByDistance; }
  // By distance: which block must be there before the plan begins, and when it has ended.
  std::uint64_t first_block(int node, std::size_t atom) const;
  std::uint64_t last_block(int node, std::size_t atom) const;
  int slot_number(std::size_t atom) const;
  bool is_there(int node, std::size_t atom) const;
  bool is_complete(int node, std::size_t atom) const;
  bool starts_with(int node, std::size_t atom) const;
  bool must_have(int node, std::size_t atom) const;
  std::string combine(std::size_t atom, const Value& value, int from, int to);
  std::string overwrite(std::size_t atom, const Value& value, int from, int to);
  std::string check_slot(int node, std::size_t atom) const;

  const Scenario& scenario_;
  BufferLayout layout_;
  std::optional<BlockMatrix> matrix_;  // of an alltoall
  Atoms atoms_;
  int nodes_;
  std::size_t words_;  // of a value's contributors
  std::vector<std::uint64_t> contributors_;
  std::vector<std::uint64_t> orders_;
};

}  // namespace mpiactor::inter::verifier

#endif  // MPIACTOR_INTER_VERIFIER_VALUES_H_
