// MPI_Gatherv, Scatterv and Alltoallv whose blocks take every way there is: short ones, those that
// travel in block messages, alone, through a send buffer, through a ring, and none at all, mixed in
// one call. Against the library's, byte for byte; and the runtime must have handled them.
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/actor/collectives/mpi_check.h"
#include "tests/collectives/harness.h"
#include "tests/collectives/memory.h"
#include "tests/collectives/types.h"

namespace {

using namespace mpiactor::testing;

// Packed bytes about which the way of a block changes (shared blocks.h, block message.h, send
// buffer.h).
constexpr std::array<std::size_t, 10> kEdges = {
    0, 1, 200, 1008, 4 << 10, 16 << 10, 64 << 10, 128 << 10, 256 << 10, 600 << 10};

// Units of one block: at an edge, just below or above it, or a little of anything.
int edge_units(Random& random, std::size_t unit_bytes, bool may_be_large) {
  const int edges = may_be_large ? static_cast<int>(kEdges.size()) : 6;
  const std::size_t bytes = kEdges[static_cast<std::size_t>(random.below(edges))];
  const int units = static_cast<int>(bytes / unit_bytes) + random.below(3) - 1;
  if (random.one_in(3)) return random.below(40);
  return std::max(units, 0);
}

struct Call {
  Call(Case& of, const TypeZoo& zoo)
      : at(of),
        family(zoo.random_family(of.shared)),
        mine(family.random_form(of.own)),
        root(of.shared.below(of.group.size)),
        in_place(of.shared.one_in(4)),
        rank(static_cast<std::size_t>(of.group.rank)) {}

  bool is_root() const { return at.group.rank == root; }
  bool leaves_out() const { return is_root() && in_place; }
  void describe(const char* name, int units) {
    at.text = std::string(name) + (in_place ? " in place, " : ", ") + family.name + " as " +
              mine.name + ", " + std::to_string(units) + " units of " +
              std::to_string(family.unit_bytes) + " bytes, root " + std::to_string(root);
  }
  // What all ranks draw alike.
  std::vector<int> draw_units(int blocks) {
    std::vector<int> units;
    const bool may_be_large = at.shared.one_in(3);
    for (int i = 0; i < blocks; ++i)
      units.push_back(edge_units(at.shared, family.unit_bytes, may_be_large));
    if (at.shared.one_in(8)) units.assign(units.size(), 0);
    return units;
  }

  Case& at;
  const Family& family;
  const Form& mine;
  int root;
  bool in_place;
  std::size_t rank;
};

void gatherv(Call& c) {
  const Form& to = c.family.random_form(c.at.own);
  const Blocks blocks = place_blocks(to, c.draw_units(c.at.group.size), c.at.own);
  const std::vector<int> counts = blocks.counts(to);
  const int units = blocks.units[c.rank];
  c.describe("MPI_Gatherv", units);
  Buffers buffers;
  if (!c.leaves_out()) buffers.send = Memory(c.mine, units, c.at.own);
  if (c.is_root()) buffers.receive = Memory(to, blocks, c.at.own);
  compare(c.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.gatherv(c.leaves_out() ? MPI_IN_PLACE : b.send.origin(), c.mine.count(units), c.mine.type,
                  b.receive.origin(), counts.data(), blocks.at.data(), to.type, c.root,
                  c.at.group.comm);
  });
}

void scatterv(Call& c) {
  const Form& from = c.family.random_form(c.at.own);
  const Blocks blocks = place_blocks(from, c.draw_units(c.at.group.size), c.at.own);
  const std::vector<int> counts = blocks.counts(from);
  const int units = blocks.units[c.rank];
  c.describe("MPI_Scatterv", units);
  Buffers buffers;
  if (c.is_root()) buffers.send = Memory(from, blocks, c.at.own);
  if (!c.leaves_out()) buffers.receive = Memory(c.mine, units, c.at.own);
  compare(c.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.scatterv(b.send.origin(), counts.data(), blocks.at.data(), from.type,
                   c.leaves_out() ? MPI_IN_PLACE : b.receive.origin(), c.mine.count(units),
                   c.mine.type, c.root, c.at.group.comm);
  });
}

void alltoallv(Call& c) {
  const auto size = static_cast<std::size_t>(c.at.group.size);
  std::vector<int> matrix = c.draw_units(static_cast<int>(size * size));
  std::vector<int> given(size);
  std::vector<int> taken(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; c.in_place && j < i; ++j) matrix[i * size + j] = matrix[j * size + i];
  }
  for (std::size_t i = 0; i < size; ++i) {
    given[i] = matrix[c.rank * size + i];
    taken[i] = matrix[i * size + c.rank];
  }
  const Form& to = c.family.random_form(c.at.own);
  const Blocks out = place_blocks(c.mine, given, c.at.own);
  const Blocks in = place_blocks(to, taken, c.at.own);
  const std::vector<int> out_counts = out.counts(c.mine);
  const std::vector<int> in_counts = in.counts(to);
  c.describe("MPI_Alltoallv", given[0]);
  Buffers buffers;
  if (!c.in_place) buffers.send = Memory(c.mine, out, c.at.own);
  buffers.receive = Memory(to, in, c.at.own);
  compare(c.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.alltoallv(c.in_place ? MPI_IN_PLACE : b.send.origin(),
                    c.in_place ? nullptr : out_counts.data(), c.in_place ? nullptr : out.at.data(),
                    c.in_place ? MPI_DATATYPE_NULL : c.mine.type, b.receive.origin(),
                    in_counts.data(), in.at.data(), to.type, c.at.group.comm);
  });
}

constexpr std::array kCollectives = {gatherv, scatterv, alltoallv};

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const TypeZoo zoo;
  job.run_cases([&](const Group& group, std::uint64_t number) {
    Case at(group, job.seed(), number);
    Call call(at, zoo);
    if (number % 12 == 0) MPI_Barrier(group.comm);  // the call before the container
    const long before = hybrid_calls();
    kCollectives[number % kCollectives.size()](call);
    // A scatterv between nodes is left to the library, by default all calls of nodes of one rank.
    const char* const nodes = std::getenv("MPIACTOR_NODES");
    const char* const never_worse = std::getenv("MPIACTOR_NEVER_WORSE");
    const bool all_may_be_left = !never_worse || *never_worse != '0';
    const bool may_be_left =
        nodes && *nodes != 0 && (number % kCollectives.size() == 1 || all_may_be_left);
    if (group.size > 1 && !may_be_left && hybrid_calls() != before + 1)
      fail(at, "went to the MPI library");
  });
  return 0;
}
