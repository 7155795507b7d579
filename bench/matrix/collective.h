// The collectives that are measured, one row each.
#ifndef MPIACTOR_BENCH_MATRIX_COLLECTIVE_H_
#define MPIACTOR_BENCH_MATRIX_COLLECTIVE_H_

#include <mpi.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mpiactor::bench {

// Where data flows, and so whose arrival a rank's result needs.
enum class Direction {
  kAmongAll,  // every rank needs every rank
  kFromRoot,  // the root needs nobody, all others need the root
  kToRoot,    // the root needs every rank, all others need nobody
};

// A buffer's length in blocks; a block is what the benchmark calls the size.
enum class Blocks { kNone, kOne, kEachRank };

// What one call of a collective takes.
struct CallArguments {
  const void* send = nullptr;
  void* receive = nullptr;  // for MPI_Bcast: the buffer
  int count = 0;            // elements of a block
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  // For the v-variants: `count` and its multiples, one entry for each rank.
  const std::vector<int>* counts = nullptr;
  const std::vector<int>* displacements = nullptr;
};

struct Collective {
  const char* name;
  Direction direction;
  bool reduces;    // sums over ranks
  Blocks send;     // of any rank that sends
  Blocks receive;  // of any rank that receives
  // One of both: `begin` of nonblocking ones.
  void (*call)(const CallArguments& arguments) = nullptr;
  void (*begin)(const CallArguments& arguments, MPI_Request* request) = nullptr;
};

// All of them, in the order of the table.
const std::vector<Collective>& collectives();

// Rows of a comma-separated list of names, in the given order; "all" is every row. Throws
// std::invalid_argument naming an entry that is none, or that comes twice, and the names there are.
std::vector<const Collective*> parse_collectives(std::string_view list);

inline bool is_rooted(const Collective& collective) {
  return collective.direction != Direction::kAmongAll;
}

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_MATRIX_COLLECTIVE_H_
