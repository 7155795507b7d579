// MPI_Allgather, Allgatherv, Alltoall, Alltoallv and (passed on) Alltoallw against the library's,
// byte for byte.
#include <array>
#include <string>

#include "tests/collectives/harness.h"
#include "tests/collectives/memory.h"
#include "tests/collectives/types.h"

namespace {

using namespace mpiactor::testing;

// Open MPI 4.1 chooses MPI_Allgatherv's algorithm by the size of the send type, and uses the
// receive type alone: both must be one on all ranks, which MPI does not ask for.
#ifdef OPEN_MPI
constexpr bool kIsOpenMpi = true;
#else
constexpr bool kIsOpenMpi = false;
#endif

// Each rank sends and receives in layouts of its own.
struct Exchange {
  Exchange(Case& of, const TypeZoo& zoo)
      : at(of),
        family(zoo.random_family(of.shared)),
        from(family.random_form(of.own)),
        to(family.random_form(of.own)),
        in_place(of.shared.one_in(4)),
        size(of.group.size),
        rank(static_cast<std::size_t>(of.group.rank)) {}

  void describe(const char* name, int units, const Form& into) {
    at.text = std::string(name) + (in_place ? " in place, " : ", ") + family.name + ", " +
              from.name + " to " + into.name + ", " + std::to_string(units) + " units of " +
              std::to_string(family.unit_bytes) + " bytes";
  }
  int draw_units() { return random_units(at.shared, family.unit_bytes, size); }

  Case& at;
  const Family& family;
  const Form& from;
  const Form& to;
  bool in_place;
  int size;
  std::size_t rank;
};

void allgather(Exchange& e) {
  const int units = e.draw_units();
  e.describe("MPI_Allgather", units, e.to);
  Buffers buffers;
  if (!e.in_place) buffers.send = Memory(e.from, units, e.at.own);
  buffers.receive = Memory(e.to, equal_blocks(e.to, e.size, units), e.at.own);
  compare(e.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.allgather(e.in_place ? MPI_IN_PLACE : b.send.origin(), e.from.count(units), e.from.type,
                    b.receive.origin(), e.to.count(units), e.to.type, e.at.group.comm);
  });
}

void allgatherv(Exchange& e) {
  const int average = e.draw_units();
  // MPICH 4.0 cuts long messages by elements of the receive type, so there it must be one on all
  // ranks, which MPI does not ask for.
  const std::size_t most_bytes = 2 * e.family.unit_bytes * static_cast<std::size_t>(average) *
                                 static_cast<std::size_t>(e.size);
  const Form& common = e.family.random_form(e.at.shared);
  const Form& from = kIsOpenMpi ? common : e.from;
  const Form& to = most_bytes < 16384 && !kIsOpenMpi ? e.to : common;
  // Units are everybody's, places each rank's own.
  const std::vector<int> units = random_blocks(to, e.size, average, e.at.shared).units;
  const Blocks blocks = place_blocks(to, units, e.at.own);
  const std::vector<int> counts = blocks.counts(to);
  e.describe("MPI_Allgatherv", average, to);
  Buffers buffers;
  if (!e.in_place) buffers.send = Memory(from, units[e.rank], e.at.own);
  buffers.receive = Memory(to, blocks, e.at.own);
  compare(e.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.allgatherv(e.in_place ? MPI_IN_PLACE : b.send.origin(), from.count(units[e.rank]),
                     from.type, b.receive.origin(), counts.data(), blocks.at.data(), to.type,
                     e.at.group.comm);
  });
}

void alltoall(Exchange& e) {
  const int units = e.draw_units();
  e.describe("MPI_Alltoall", units, e.to);
  Buffers buffers;
  if (!e.in_place) buffers.send = Memory(e.from, equal_blocks(e.from, e.size, units), e.at.own);
  buffers.receive = Memory(e.to, equal_blocks(e.to, e.size, units), e.at.own);
  compare(e.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.alltoall(e.in_place ? MPI_IN_PLACE : b.send.origin(), e.from.count(units), e.from.type,
                   b.receive.origin(), e.to.count(units), e.to.type, e.at.group.comm);
  });
}

// Units that rank `row` sends to each rank, and what it gets: a matrix that all ranks draw alike,
// symmetric where buffers are exchanged in place.
struct Matrix {
  Matrix(Exchange& e, int average) : size(static_cast<std::size_t>(e.size)) {
    for (std::size_t i = 0; i < size * size; ++i)
      units.push_back(e.at.shared.one_in(4) ? 0 : e.at.shared.below(2 * average + 1));
    for (std::size_t i = 0; e.in_place && i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j) units[i * size + j] = units[j * size + i];
    }
  }
  std::vector<int> sent_by(std::size_t rank) const {
    return {units.begin() + static_cast<std::ptrdiff_t>(rank * size),
            units.begin() + static_cast<std::ptrdiff_t>((rank + 1) * size)};
  }
  std::vector<int> received_by(std::size_t rank) const {
    std::vector<int> column;
    for (std::size_t i = 0; i < size; ++i) column.push_back(units[i * size + rank]);
    return column;
  }
  std::size_t size;
  std::vector<int> units;
};

void alltoallv(Exchange& e) {
  const int average = e.draw_units();
  const Matrix matrix(e, average);
  const Blocks out = place_blocks(e.from, matrix.sent_by(e.rank), e.at.own);
  const Blocks in = place_blocks(e.to, matrix.received_by(e.rank), e.at.own);
  const std::vector<int> out_counts = out.counts(e.from);
  const std::vector<int> in_counts = in.counts(e.to);
  e.describe("MPI_Alltoallv", average, e.to);
  Buffers buffers;
  if (!e.in_place) buffers.send = Memory(e.from, out, e.at.own);
  buffers.receive = Memory(e.to, in, e.at.own);
  compare(e.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.alltoallv(e.in_place ? MPI_IN_PLACE : b.send.origin(), out_counts.data(), out.at.data(),
                    e.from.type, b.receive.origin(), in_counts.data(), in.at.data(), e.to.type,
                    e.at.group.comm);
  });
}

// Displacements in bytes, and one type for each peer (here the same ones).
void alltoallw(Exchange& e) {
  // Open MPI 4.1 alone gives wrong data to a single rank that receives below its origin.
  if (kIsOpenMpi && e.size == 1) return alltoall(e);
  e.in_place = false;
  const int average = e.draw_units();
  const Matrix matrix(e, average);
  Blocks out = place_blocks(e.from, matrix.sent_by(e.rank), e.at.own);
  Blocks in = place_blocks(e.to, matrix.received_by(e.rank), e.at.own);
  const std::vector<int> out_counts = out.counts(e.from);
  const std::vector<int> in_counts = in.counts(e.to);
  const Buffers buffers{Memory(e.from, out, e.at.own), Memory(e.to, in, e.at.own)};
  for (int& place : out.at) place *= static_cast<int>(e.from.extent);
  for (int& place : in.at) place *= static_cast<int>(e.to.extent);
  const std::vector<MPI_Datatype> from(matrix.size, e.from.type);
  const std::vector<MPI_Datatype> to(matrix.size, e.to.type);
  e.describe("MPI_Alltoallw", average, e.to);
  compare(e.at, buffers, [&](const Calls& calls, Buffers& b) {
    calls.alltoallw(b.send.origin(), out_counts.data(), out.at.data(), from.data(),
                    b.receive.origin(), in_counts.data(), in.at.data(), to.data(), e.at.group.comm);
  });
}

constexpr std::array kCollectives = {allgather,  alltoall,  allgatherv, alltoallv, alltoall,
                                     allgatherv, allgather, alltoallv,  alltoallw};

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const TypeZoo zoo;
  job.run_cases([&](const Group& group, std::uint64_t number) {
    Case at(group, job.seed(), number);
    Exchange exchange(at, zoo);
    kCollectives[number % kCollectives.size()](exchange);
  });
  return 0;
}
