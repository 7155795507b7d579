// MPI_Bcast, Gather, Gatherv, Scatter and Scatterv against the library's, byte for byte.
#include <array>
#include <string>

#include "tests/collectives/harness.h"
#include "tests/collectives/memory.h"
#include "tests/collectives/types.h"

namespace {

using namespace mpiactor::testing;

// What the cases of this file have in common: each rank has its own layout of one signature.
struct Rooted {
  Rooted(Case& of, const TypeZoo& zoo)
      : at(of),
        family(zoo.random_family(of.shared)),
        form(family.random_form(of.own)),
        root(of.shared.below(of.group.size)),
        in_place(of.shared.one_in(4)) {}

  bool is_root() const { return at.group.rank == root; }
  void describe(const char* name, int units) {
    at.text = std::string(name) + (in_place ? " in place, " : ", ") + family.name + " as " +
              form.name + ", " + std::to_string(units) + " units of " +
              std::to_string(family.unit_bytes) + " bytes, root " + std::to_string(root);
  }

  Case& at;
  const Family& family;
  const Form& form;
  int root;
  bool in_place;
};

void bcast(Rooted& r) {
  r.in_place = false;
  const int units = random_units(r.at.shared, r.family.unit_bytes, 1);
  r.describe("MPI_Bcast", units);
  const Buffers buffers{{}, Memory(r.form, units, r.at.own)};
  compare(r.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.bcast(b.receive.origin(), r.form.count(units), r.form.type, r.root, r.at.group.comm);
  });
}

void gather(Rooted& r) {
  const int units = random_units(r.at.shared, r.family.unit_bytes, r.at.group.size);
  const Form& to = r.family.random_form(r.at.own);
  r.describe("MPI_Gather", units);
  const bool leave_out = r.is_root() && r.in_place;
  Buffers buffers;
  if (!leave_out) buffers.send = Memory(r.form, units, r.at.own);
  if (r.is_root()) buffers.receive = Memory(to, equal_blocks(to, r.at.group.size, units), r.at.own);
  compare(r.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.gather(leave_out ? MPI_IN_PLACE : b.send.origin(), r.form.count(units), r.form.type,
                 b.receive.origin(), to.count(units), to.type, r.root, r.at.group.comm);
  });
}

void scatter(Rooted& r) {
  const int units = random_units(r.at.shared, r.family.unit_bytes, r.at.group.size);
  const Form& to = r.family.random_form(r.at.own);
  r.describe("MPI_Scatter", units);
  const bool leave_out = r.is_root() && r.in_place;
  Buffers buffers;
  if (r.is_root())
    buffers.send = Memory(r.form, equal_blocks(r.form, r.at.group.size, units), r.at.own);
  if (!leave_out) buffers.receive = Memory(to, units, r.at.own);
  compare(r.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.scatter(b.send.origin(), r.form.count(units), r.form.type,
                  leave_out ? MPI_IN_PLACE : b.receive.origin(), to.count(units), to.type, r.root,
                  r.at.group.comm);
  });
}

// Blocks of the root's buffer, in the root's layout; all ranks draw the same ones, and each looks
// at its own number of units.
Blocks blocks_at_root(Rooted& r, const Form& form) {
  const int units = random_units(r.at.shared, r.family.unit_bytes, r.at.group.size);
  return random_blocks(form, r.at.group.size, units, r.at.shared);
}

void gatherv(Rooted& r) {
  const Form& to = r.family.random_form(r.at.shared);
  const Blocks blocks = blocks_at_root(r, to);
  const std::vector<int> counts = blocks.counts(to);
  const int units = blocks.units[static_cast<std::size_t>(r.at.group.rank)];
  r.describe("MPI_Gatherv", units);
  const bool leave_out = r.is_root() && r.in_place;
  Buffers buffers;
  if (!leave_out) buffers.send = Memory(r.form, units, r.at.own);
  if (r.is_root()) buffers.receive = Memory(to, blocks, r.at.own);
  const bool has_arrays = r.is_root() || r.at.own.one_in(2);
  compare(r.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.gatherv(leave_out ? MPI_IN_PLACE : b.send.origin(), r.form.count(units), r.form.type,
                  b.receive.origin(), has_arrays ? counts.data() : nullptr,
                  has_arrays ? blocks.at.data() : nullptr, to.type, r.root, r.at.group.comm);
  });
}

void scatterv(Rooted& r) {
  const Form& from = r.family.random_form(r.at.shared);
  const Blocks blocks = blocks_at_root(r, from);
  const std::vector<int> counts = blocks.counts(from);
  const int units = blocks.units[static_cast<std::size_t>(r.at.group.rank)];
  r.describe("MPI_Scatterv", units);
  const bool leave_out = r.is_root() && r.in_place;
  Buffers buffers;
  if (r.is_root()) buffers.send = Memory(from, blocks, r.at.own);
  if (!leave_out) buffers.receive = Memory(r.form, units, r.at.own);
  const bool has_arrays = r.is_root() || r.at.own.one_in(2);
  compare(r.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.scatterv(b.send.origin(), has_arrays ? counts.data() : nullptr,
                   has_arrays ? blocks.at.data() : nullptr, from.type,
                   leave_out ? MPI_IN_PLACE : b.receive.origin(), r.form.count(units), r.form.type,
                   r.root, r.at.group.comm);
  });
}

constexpr std::array kCollectives = {bcast, gather, scatter, gatherv, scatterv};

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const TypeZoo zoo;
  job.run_cases([&](const Group& group, std::uint64_t number) {
    Case at(group, job.seed(), number);
    Rooted rooted(at, zoo);
    kCollectives[number % kCollectives.size()](rooted);
  });
  return 0;
}
