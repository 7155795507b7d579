// What every node's memory holds while the verifier runs a collective, and what it must hold.
#ifndef MPIACTOR_INTER_VERIFIER_VALUES_H_
#define MPIACTOR_INTER_VERIFIER_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "inter/verifier.h"

namespace mpiactor::inter::verifier {

// The message cut at every boundary that any operation or segment has; pieces in between are moved
// as a whole.
class Atoms {
 public:
  explicit Atoms(std::vector<std::uint64_t> boundaries);
  std::size_t count() const { return boundaries_.empty() ? 0 : boundaries_.size() - 1; }
  std::size_t index_at(std::uint64_t offset) const;
  std::uint64_t begin(std::size_t atom) const { return boundaries_[atom]; }

 private:
  std::vector<std::uint64_t> boundaries_;
};

// Per node and atom: the data's origin. In a broadcast an atom is there or not.
class Memory {
 public:
  Memory(const Scenario& scenario, Atoms atoms);

  const Atoms& atoms() const { return atoms_; }
  // Moves one atom; returns an error or nothing.
  std::string receive(std::size_t atom, int from, int to, OpKind kind);
  std::string check_final() const;

 private:
  std::uint8_t& at(int node, std::size_t atom) {
    return present_[static_cast<std::size_t>(node) * atoms_.count() + atom];
  }

  const Scenario& scenario_;
  Atoms atoms_;
  std::vector<std::uint8_t> present_;
};

}  // namespace mpiactor::inter::verifier

#endif  // MPIACTOR_INTER_VERIFIER_VALUES_H_
