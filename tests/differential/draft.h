// Draws what collectives have in common: signature, sizes, layouts, and how a buffer is passed.
#ifndef MPIACTOR_TESTS_DIFFERENTIAL_DRAFT_H_
#define MPIACTOR_TESTS_DIFFERENTIAL_DRAFT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/differential/call.h"
#include "tests/differential/communicators.h"
#include "tests/differential/step.h"

namespace differential {

using CallPointer = std::unique_ptr<Call>;
using Units = std::vector<std::int64_t>;

// About so many bytes of a block: mostly few, often about the limits of the algorithms, now and
// then many; `blocks` of them have a few MiB at most.
std::int64_t draw_bytes(Random& random, int blocks);

struct Draft {
  Draft(Step& step, const Communicator& communicator);

  // A multiple of the grain, the same on all ranks.
  std::int64_t draw_units(int blocks);
  // One for each block, some none.
  Units draw_several(int blocks);
  // A layout whose elements have a number of units that divides the grain.
  Layout draw_layout(Random& random) const;
  // Elements of this layout that hold so many units.
  std::int64_t elements(const Layout& layout, std::int64_t units) const;
  Units elements(const Layout& layout, const Units& units) const;

  Buffer row(Layout layout, const Units& units) const;
  Buffer scattered(Layout layout, const Units& units) const;

  // How `buffer` is passed: by its address, or as MPI_BOTTOM, or, where it is empty, as nothing.
  Argument pass(Buffer& buffer, std::int64_t units) const;
  Argument in_place() const;
  // An argument that means nothing on this rank. `buffer` may be passed, and must not be touched.
  Argument junk(Buffer& buffer) const;

  std::string sizes(std::int64_t units) const;

  Step& step;
  const Communicator& on;
  int size;
  int rank;
  int root;
  bool is_root;
  bool wants_in_place;
  Unit unit;
  int grain = 1;  // units
};

// Every one makes the calling rank's part of a collective and describes it in step.text.
CallPointer draft_barrier(Draft& draft);
CallPointer draft_bcast(Draft& draft);
CallPointer draft_gather(Draft& draft);
CallPointer draft_gatherv(Draft& draft);
CallPointer draft_scatter(Draft& draft);
CallPointer draft_scatterv(Draft& draft);
CallPointer draft_allgather(Draft& draft);
CallPointer draft_allgatherv(Draft& draft);
CallPointer draft_alltoall(Draft& draft);
CallPointer draft_alltoallv(Draft& draft);
CallPointer draft_alltoallw(Draft& draft);
CallPointer draft_reduce(Draft& draft);
CallPointer draft_allreduce(Draft& draft);
CallPointer draft_reduce_scatter(Draft& draft);
CallPointer draft_reduce_scatter_block(Draft& draft);
CallPointer draft_scan(Draft& draft);
CallPointer draft_exscan(Draft& draft);

}  // namespace differential

#endif  // MPIACTOR_TESTS_DIFFERENTIAL_DRAFT_H_
