// What a collective's buffers hold before a call, and must hold after it.
#ifndef MPIACTOR_BENCH_MATRIX_CONTENTS_H_
#define MPIACTOR_BENCH_MATRIX_CONTENTS_H_

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "bench/matrix/collective.h"

namespace mpiactor::bench {

enum class ElementKind { kInt, kFloat, kDouble };

struct ElementType {
  const char* name;
  ElementKind kind;
  MPI_Datatype mpi;
  std::size_t bytes;
};

// "int", "float" or "double"; throws std::invalid_argument naming `name` otherwise.
ElementType parse_element_type(std::string_view name);

// One rank's part of one call.
struct Share {
  const Collective* collective;
  ElementKind kind;
  std::size_t count;  // elements of a block
  int rank;
  int ranks;
  int root;
  unsigned salt;  // makes the contents of one call differ from those of another
};

// Element `index` of block `block` that `source` sends: 0..250, so sums over up to 65,000 ranks are
// exact in every element type, in any order.
int sent_value(int source, int block, std::size_t index, unsigned salt);

// Fills what this rank sends (for MPI_Bcast's root: `receive`), and spoils what it will receive.
void fill_contents(const Share& share, void* send, void* receive);

// Index of the first element that this rank should have received and has not; nothing if all are
// right or it receives nothing.
std::optional<std::size_t> find_wrong_element(const Share& share, const void* receive);

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MATRIX_CONTENTS_H_
