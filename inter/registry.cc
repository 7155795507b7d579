#include "inter/registry.h"

#include <array>

#include "inter/algorithms.h"

namespace mpiactor::inter {
namespace {

bool any_shape(const Shape& shape) { return shape.nodes() >= 1; }

constexpr auto kBcast = Collective::kBcast;

constexpr std::array kAlgorithms = {
    Algorithm{kBcast, "linear", "the root sends to every node", "[Fugaku] basic linear", any_shape,
              bcast_linear},
    Algorithm{kBcast, "chain", "every node hands segments on to the next", "[Fugaku] chain",
              any_shape, bcast_chain},
    Algorithm{kBcast, "binary", "binary tree, pipelined", "[Fugaku] binary tree", any_shape,
              bcast_binary},
    Algorithm{kBcast, "binomial", "binomial tree", "[CP] P-BT", any_shape, bcast_binomial},
    Algorithm{kBcast, "rdaas", "scatter, then allgather by recursive doubling", "[CP] RDAAS",
              any_shape, bcast_rdaas},
    Algorithm{kBcast, "ring", "scatter, then allgather on a ring", "[CP] RingAAS", any_shape,
              bcast_ring},
};

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective == collective && algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

std::string algorithm_names(Collective collective, std::string_view separator) {
  std::string names;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective != collective) continue;
    if (!names.empty()) names += separator;
    names += algorithm.name;
  }
  return names;
}

}  // namespace mpiactor::inter
