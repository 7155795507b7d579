#include "inter/verifier_values.h"

#include <fmt/format.h>

#include <algorithm>

namespace mpiactor::inter::verifier {

Atoms::Atoms(std::vector<std::uint64_t> boundaries) : boundaries_(std::move(boundaries)) {
  std::sort(boundaries_.begin(), boundaries_.end());
  boundaries_.erase(std::unique(boundaries_.begin(), boundaries_.end()), boundaries_.end());
}

std::size_t Atoms::index_at(std::uint64_t offset) const {
  const auto found = std::lower_bound(boundaries_.begin(), boundaries_.end(), offset);
  return static_cast<std::size_t>(found - boundaries_.begin());
}

Memory::Memory(const Scenario& scenario, Atoms atoms)
    : scenario_(scenario),
      atoms_(std::move(atoms)),
      present_(static_cast<std::size_t>(scenario.shape.nodes()) * atoms_.count(), 0) {
  for (std::size_t atom = 0; atom < atoms_.count(); ++atom) at(scenario.root_node, atom) = 1;
}

std::string Memory::receive(std::size_t atom, int from, int to, OpKind) {
  if (at(from, atom) == 0) {
    return fmt::format("node {} sends byte {} to node {} before it has it", from,
                       atoms_.begin(atom), to);
  }
  if (at(to, atom) != 0) {
    return fmt::format("node {} receives byte {} though it has it (from node {})", to,
                       atoms_.begin(atom), from);
  }
  at(to, atom) = 1;
  return {};
}

std::string Memory::check_final() const {
  for (std::size_t i = 0; i < present_.size(); ++i) {
    if (present_[i] == 0) {
      return fmt::format("node {} never receives byte {}", i / atoms_.count(),
                         atoms_.begin(i % atoms_.count()));
    }
  }
  return {};
}

}  // namespace mpiactor::inter::verifier
