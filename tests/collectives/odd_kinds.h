// Kinds of odd arguments: what is ordinary for a call, and what one rank makes of it.
#ifndef MPIACTOR_TESTS_COLLECTIVES_ODD_KINDS_H_
#define MPIACTOR_TESTS_COLLECTIVES_ODD_KINDS_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/collectives/odd_call.h"

namespace mpiactor::testing {

inline constexpr int kAllRanks = -1;

// Which ranks have something to give or to take.
enum class Blocks {
  kFull,
  kNoneOfOdd,  // the odd rank gives nothing, and takes nothing where ranks take different blocks
  kNone,
};

// The calling rank's place in a case. All but `rank` is equal on all ranks.
struct Place {
  int rank = 0;
  int size = 0;
  int root = 0;
  int odd = 0;             // or kAllRanks
  MPI_Count words = 0;     // of a block; of later ranks' blocks a few more
  unsigned variant = 0;    // counts a kind's cases, for what need not be tried in each
  std::size_t region = 0;  // bytes for each of the two buffers, to either side of their addresses
  bool is_odd() const { return odd == kAllRanks || odd == rank; }
  bool is_root() const { return rank == root; }
};

// Which ranks a kind makes odd.
enum class Who {
  kAny,   // each in turn, and all
  kRoot,  // of rooted calls the root
  kNonRoot,
  kTogether,  // all ranks alike, only
};

struct Kind {
  const char* name;
  std::uint32_t entries;
  Who who;
  // On the odd rank or ranks.
  void (*make_odd)(OddCall& call, const Place& place);
  Blocks blocks = Blocks::kFull;
  // Before it, on every rank.
  void (*prepare)(OddCall& call, const Place& place) = nullptr;
  bool is_refused = false;  // by the MPI library, on the odd ranks
};

// A right call of ints by every rank, of which no buffers touch.
void make_ordinary(OddCall& call, const Place& place, Blocks blocks, std::byte* memory);

// What a call reads or writes on this rank, of its two sides. One of them, in turn, or both where
// there are both.
std::vector<Side*> significant_sides(OddCall& call, const Place& place);
std::vector<Side*> chosen_sides(OddCall& call, const Place& place);

// A side that describes the same words by elements of `words` ints each.
void describe_by(Side& side, MPI_Datatype type, MPI_Count words);

std::vector<Kind> dummies();
std::vector<Kind> empty_blocks();
std::vector<Kind> absolute_addresses();
std::vector<Kind> shared_buffers();
std::vector<Kind> unusual_types();
// Wrong calls, which the rank makes alone: the MPI library sees that without a message.
std::vector<Kind> mistakes();

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_COLLECTIVES_ODD_KINDS_H_
