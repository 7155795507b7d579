// MPI_Reduce, Allreduce, Reduce_scatter, Reduce_scatter_block, Scan, Exscan.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/differential/draft.h"
#include "tests/differential/operations.h"

namespace differential {

namespace {

// What this rank gets of the result: of the ranks below `ranks`, elements from `first` on.
struct Share {
  bool gets = true;
  bool is_known = true;  // else its bytes may be anything
  int ranks = 0;
  std::int64_t first = 0;
  std::int64_t elements = 0;
};

struct Reduction {
  Reduction(Draft& draft, const char* call_name, bool may_have_gaps = true)
      : d(draft), name(call_name), operation(draw_operation(draft.step, may_have_gaps)) {}
  std::int64_t draw_elements(int blocks) const {
    return draw_bytes(d.step.shared, blocks) / operation.layout.bytes;
  }
  void describe(std::int64_t elements) const {
    d.step.text += fmt::format("{}{}, {} on {} x {} ({} bytes)", name,
                               d.wants_in_place ? " in place" : "", operation.name, elements,
                               operation.layout.text, elements * operation.layout.bytes);
  }
  static Argument pass(Buffer& buffer, std::int64_t elements) {
    return {buffer.address(), Count{elements}, buffer.type()};
  }

  // `all` elements are given by each rank. In place they lie in the receive buffer.
  CallPointer make(std::int64_t all, const Share& share, bool in_place) const {
    auto call = std::make_unique<Call>();
    call->operation = operation.op;
    call->owns_operation = operation.is_owned;
    if (in_place) {
      call->from.address = MPI_IN_PLACE;
    } else {
      call->send = Buffer(operation.layout, {{all, 0}});
      call->from = pass(call->send, all);
    }
    call->to.count = Count{all};
    call->to.type = operation.layout.type.get();
    if (share.gets) {
      // The result; in place, what else of the operands lies there; all operands.
      std::vector<Block> blocks = {{share.elements, 0}};
      if (in_place) blocks.insert(blocks.end(), {{all - share.elements, share.elements}, {all, 0}});
      call->receive = Buffer(operation.layout, std::move(blocks));
      call->to = pass(call->receive, all);
    }
    call->fill = [op = operation, all, share, in_place, rank = d.rank](Call& c, std::uint64_t key) {
      c.send.reset(key_of({key, 1}));
      c.receive.reset(key_of({key, 2}));
      const Bytes operands = operands_of(op, key, rank, all);
      if (in_place) {
        c.receive.put(2, operands);
        c.receive.ignore(1);
      } else {
        c.send.put(0, operands);
      }
      if (!share.gets) return;
      if (share.is_known) {
        c.receive.expect(0, result_of(op, key, share.ranks, share.first, share.elements));
      } else {
        c.receive.ignore(0);
      }
    };
    return call;
  }

  Draft& d;
  const char* name;
  Operation operation;
};

}  // namespace

CallPointer draft_reduce(Draft& d) {
  const Reduction r(d, "Reduce");
  const std::int64_t elements = r.draw_elements(1);
  // MPICH 4.0 crashes in its algorithm for long messages where a root other than 0 reduces in
  // place.
  if (d.root != 0 && elements * r.operation.layout.extent >= 2048) d.wants_in_place = false;
  r.describe(elements);
  d.step.text += fmt::format(", root {}", d.root);
  Share share{.gets = d.is_root, .ranks = d.size, .first = 0, .elements = elements};
  CallPointer call = r.make(elements, share, d.wants_in_place && d.is_root);
  if (!d.is_root) {
    call->to.address = d.junk(call->receive).address;
  }
  call->begin = [root = d.root, comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Reduce, Ireduce, c.from.address, c.to.address,
                             c.to.count, c.to.type, c.operation, root, comm);
  };
  return call;
}

CallPointer draft_allreduce(Draft& d) {
  const Reduction r(d, "Allreduce");
  const std::int64_t elements = r.draw_elements(1);
  r.describe(elements);
  CallPointer call =
      r.make(elements, {.ranks = d.size, .first = 0, .elements = elements}, d.wants_in_place);
  call->may_be_persistent = true;
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Allreduce, Iallreduce, c.from.address, c.to.address,
                             c.to.count, c.to.type, c.operation, comm);
  };
  return call;
}

CallPointer draft_scan(Draft& d) {
  const Reduction r(d, "Scan");
  const std::int64_t elements = r.draw_elements(1);
  r.describe(elements);
  CallPointer call =
      r.make(elements, {.ranks = d.rank + 1, .first = 0, .elements = elements}, d.wants_in_place);
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Scan, Iscan, c.from.address, c.to.address, c.to.count,
                             c.to.type, c.operation, comm);
  };
  return call;
}

CallPointer draft_exscan(Draft& d) {
  const Reduction r(d, "Exscan");
  const std::int64_t elements = r.draw_elements(1);
  r.describe(elements);
  const Share share{.is_known = d.rank > 0, .ranks = d.rank, .first = 0, .elements = elements};
  CallPointer call = r.make(elements, share, d.wants_in_place);
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Exscan, Iexscan, c.from.address, c.to.address,
                             c.to.count, c.to.type, c.operation, comm);
  };
  return call;
}

CallPointer draft_reduce_scatter_block(Draft& d) {
  // MPICH 4.0 gets user operations on types with gaps wrong here.
  const Reduction r(d, "Reduce_scatter_block", false);
  const std::int64_t elements = r.draw_elements(d.size);
  r.describe(elements);
  const Share share{.ranks = d.size, .first = d.rank * elements, .elements = elements};
  CallPointer call = r.make(elements * d.size, share, d.wants_in_place);
  call->to.count = Count{elements};
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Reduce_scatter_block, Ireduce_scatter_block,
                             c.from.address, c.to.address, c.to.count, c.to.type, c.operation,
                             comm);
  };
  return call;
}

CallPointer draft_reduce_scatter(Draft& d) {
  const Reduction r(d, "Reduce_scatter", false);
  const std::int64_t average = r.draw_elements(d.size);
  Units counts;
  for (int i = 0; i < d.size; ++i) {
    const std::int64_t count = d.step.shared.below(static_cast<int>(2 * average) + 1);
    counts.push_back(d.step.shared.one_in(5) ? 0 : count);
  }
  const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto mine = counts.begin() + d.rank;
  // MPICH 4.0's algorithm for long vectors aborts where, in place, a rank's part overlaps the place
  // it is moved to.
  if (all * r.operation.layout.extent >= 512 * 1024) d.wants_in_place = false;
  r.describe(average);
  const Share share{.ranks = d.size,
                    .first = std::accumulate(counts.begin(), mine, std::int64_t{0}),
                    .elements = *mine};
  CallPointer call = r.make(all, share, d.wants_in_place);
  call->receive_counts = Counts(counts);
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Reduce_scatter, Ireduce_scatter, c.from.address,
                             c.to.address, c.receive_counts, c.to.type, c.operation, comm);
  };
  return call;
}

}  // namespace differential
