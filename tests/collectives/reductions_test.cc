// MPI_Reduce, Allreduce, Reduce_scatter, Reduce_scatter_block and (passed on) Scan and Exscan
// against the library's, on operands whose results are exact in every order: byte for byte.
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "tests/actor/reduction/operands.h"
#include "tests/collectives/harness.h"
#include "tests/collectives/memory.h"
#include "tests/collectives/operations.h"
#include "tests/collectives/types.h"

namespace {

using namespace mpiactor::testing;

constexpr std::size_t kMostBytes = 3 << 20;

struct Reducing {
  Reducing(Case& of, const OperationZoo& zoo)
      : at(of),
        operation(zoo.random_operation(of.shared)),
        form(make_form(operation.type.name, operation.type.handle)),
        root(of.shared.below(of.group.size)),
        in_place(of.shared.one_in(3)) {}

  bool is_root() const { return at.group.rank == root; }
  int draw_elements(int blocks) {
    return random_units(at.shared, static_cast<std::size_t>(form.extent), blocks, kMostBytes);
  }
  void describe(const char* name, int elements) {
    at.text = std::string(name) + (in_place ? " in place, " : ", ") + operation.name + " on " +
              form.name + ", " + std::to_string(elements) + " elements, root " +
              std::to_string(root);
  }
  Memory operands(int elements) {
    Memory memory(form, elements, at.own);
    if (operation.type.values == Values::kInteger) return memory;  // random bytes will do
    std::mt19937_64 random(at.own.next());
    fill_exact(operation.type, static_cast<std::byte*>(memory.origin()),
               static_cast<std::size_t>(elements), random);
    return memory;
  }
  // Random bytes for results to be written over.
  Memory room(int elements) { return Memory(form, elements, at.own); }

  // Runs both and compares results, everything around them, and gaps. `elements` are the result;
  // what lies behind it, up to `operands` elements, is nobody's promise (in place).
  template <typename Call>
  void compare_results(const Buffers& buffers, int elements, int operands, Call&& call) {
    Buffers by_library = buffers;
    Buffers by_program = buffers;
    at.maybe_sleep();
    call(kProgram, by_program);
    call(kLibrary, by_library);
    by_program.send.check_equals(buffers.send, at, "send buffer");
    Memory before = buffers.receive;
    if (before.origin() == nullptr) return;
    check_gaps(operation.type, before.origin(), by_program.receive.origin(), elements, at);
    keep_values(operation.type, by_library.receive.origin(), elements);
    keep_values(operation.type, by_program.receive.origin(), elements);
    const auto extent = static_cast<std::size_t>(form.extent);
    if (operands > elements) {
      const auto result_bytes = static_cast<std::size_t>(elements) * extent;
      std::memcpy(static_cast<std::byte*>(by_program.receive.origin()) + result_bytes,
                  static_cast<std::byte*>(by_library.receive.origin()) + result_bytes,
                  static_cast<std::size_t>(operands - elements) * extent);
    }
    by_program.receive.check_equals(by_library.receive, at, "result");
  }

  Case& at;
  const OperationOnType& operation;
  Form form;
  int root;
  bool in_place;
};

void reduce(Reducing& r) {
  const int elements = r.draw_elements(1);
  // MPICH 4.0 crashes in its algorithm for long messages where a root other than 0 reduces in
  // place.
  constexpr int kShortBytes = 2048;
  if (r.root != 0 && elements * r.form.extent >= kShortBytes) r.in_place = false;
  r.describe("MPI_Reduce", elements);
  const bool leave_out = r.in_place && r.is_root();
  Buffers buffers;
  if (!leave_out) buffers.send = r.operands(elements);
  if (r.is_root()) buffers.receive = leave_out ? r.operands(elements) : r.room(elements);
  r.compare_results(buffers, elements, elements, [&](const Calls& calls, Buffers& b) {
    calls.reduce(leave_out ? MPI_IN_PLACE : b.send.origin(), b.receive.origin(), elements,
                 r.form.type, r.operation.op, r.root, r.at.group.comm);
  });
}

// Operands of `sent` elements and room for `received`; in place, the operands lie in the latter.
Buffers make_buffers(Reducing& r, int sent, int received) {
  Buffers buffers;
  if (!r.in_place) buffers.send = r.operands(sent);
  buffers.receive = r.in_place ? r.operands(sent) : r.room(received);
  return buffers;
}

using PlainReduction = decltype(&MPI_Allreduce) Calls::*;

void plain(Reducing& r, const char* name, PlainReduction function, bool first_is_undefined) {
  const int elements = r.draw_elements(1);
  r.describe(name, elements);
  const Buffers buffers = make_buffers(r, elements, elements);
  const int defined = first_is_undefined && r.at.group.rank == 0 ? 0 : elements;
  r.compare_results(buffers, defined, elements, [&](const Calls& calls, Buffers& b) {
    (calls.*function)(r.in_place ? MPI_IN_PLACE : b.send.origin(), b.receive.origin(), elements,
                      r.form.type, r.operation.op, r.at.group.comm);
  });
}

void allreduce(Reducing& r) { plain(r, "MPI_Allreduce", &Calls::allreduce, false); }
void scan(Reducing& r) { plain(r, "MPI_Scan", &Calls::scan, false); }
void exscan(Reducing& r) { plain(r, "MPI_Exscan", &Calls::exscan, true); }

void reduce_scatter_block(Reducing& r) {
  const int elements = r.draw_elements(r.at.group.size);
  const int all = elements * r.at.group.size;
  r.describe("MPI_Reduce_scatter_block", elements);
  const Buffers buffers = make_buffers(r, all, elements);
  const int in_receive = r.in_place ? all : elements;
  r.compare_results(buffers, elements, in_receive, [&](const Calls& calls, Buffers& b) {
    calls.reduce_scatter_block(r.in_place ? MPI_IN_PLACE : b.send.origin(), b.receive.origin(),
                               elements, r.form.type, r.operation.op, r.at.group.comm);
  });
}

void reduce_scatter(Reducing& r) {
  const int average = r.draw_elements(r.at.group.size);
  const std::vector<int> counts =
      random_blocks(r.form, r.at.group.size, average, r.at.shared).units;
  const int all = std::accumulate(counts.begin(), counts.end(), 0);
  const int mine = counts[static_cast<std::size_t>(r.at.group.rank)];
  // MPICH 4.0's algorithm for long vectors aborts where, in place, a rank's part overlaps the place
  // it is moved to.
  constexpr int kLongBytes = 512 * 1024;
  if (all * r.form.extent >= kLongBytes) r.in_place = false;
  r.describe("MPI_Reduce_scatter", mine);
  const Buffers buffers = make_buffers(r, all, mine);
  const int in_receive = r.in_place ? all : mine;
  r.compare_results(buffers, mine, in_receive, [&](const Calls& calls, Buffers& b) {
    calls.reduce_scatter(r.in_place ? MPI_IN_PLACE : b.send.origin(), b.receive.origin(),
                         counts.data(), r.form.type, r.operation.op, r.at.group.comm);
  });
}

constexpr std::array kCollectives = {
    reduce, allreduce, reduce_scatter, reduce, allreduce, reduce_scatter_block,
    reduce, allreduce, scan,           reduce, allreduce, exscan};

}  // namespace

int main(int argc, char** argv) {
  const Job job(argc, argv);
  const OperationZoo zoo;
  job.run_cases([&](const Group& group, std::uint64_t number) {
    Case at(group, job.seed(), number);
    Reducing reducing(at, zoo);
    kCollectives[number % kCollectives.size()](reducing);
  });
  return 0;
}
