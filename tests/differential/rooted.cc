// MPI_Bcast, Gather, Gatherv, Scatter, Scatterv.
#include <fmt/format.h>

#include "tests/differential/draft.h"

namespace differential {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void describe(Draft& d, const char* name, std::int64_t units) {
  d.step.text += fmt::format("{} root {}{}, {}", name, d.root, d.wants_in_place ? " in place" : "",
                             d.sizes(units));
}

// A rank's own block, given to the root.
void fill_gather(Call& call, std::uint64_t key, int rank, bool is_root, bool in_place) {
  call.send.reset(key_of({key, 1}));
  call.receive.reset(key_of({key, 2}));
  if (!in_place) call.send.put(0, bytes_of(key, rank, 0, call.send.block_bytes(0)));
  if (!is_root) return;
  for (std::size_t i = 0; i < call.receive.blocks().size(); ++i) {
    const Bytes bytes = bytes_of(key, static_cast<int>(i), 0, call.receive.block_bytes(i));
    if (in_place && i == index(rank)) {
      call.receive.put(i, bytes);
    } else {
      call.receive.expect(i, bytes);
    }
  }
}

void fill_scatter(Call& call, std::uint64_t key, int rank, bool is_root, bool in_place) {
  call.send.reset(key_of({key, 1}));
  call.receive.reset(key_of({key, 2}));
  if (!in_place) call.receive.expect(0, bytes_of(key, 0, rank, call.receive.block_bytes(0)));
  if (!is_root) return;
  for (std::size_t i = 0; i < call.send.blocks().size(); ++i)
    call.send.put(i, bytes_of(key, 0, static_cast<int>(i), call.send.block_bytes(i)));
}

// Both gathers: the rank's own block, and the root's blocks of all.
CallPointer gather(Draft& d, const Units& units, bool may_scatter) {
  auto call = std::make_unique<Call>();
  const bool in_place = d.wants_in_place && d.is_root;
  const std::int64_t mine = units[index(d.rank)];
  if (in_place) {
    call->from = d.in_place();
  } else {
    call->send = d.row(d.draw_layout(d.step.own), {mine});
    call->from = d.pass(call->send, mine);
  }
  if (d.is_root) {
    Layout layout = d.draw_layout(d.step.own);
    call->receive = may_scatter ? d.scattered(layout, units) : d.row(layout, units);
    call->to = d.pass(call->receive, units[0]);
  } else {
    call->to = d.junk(call->receive);
  }
  call->fill = [rank = d.rank, is_root = d.is_root, in_place](Call& c, std::uint64_t key) {
    fill_gather(c, key, rank, is_root, in_place);
  };
  return call;
}

CallPointer scatter(Draft& d, const Units& units, bool may_scatter) {
  auto call = std::make_unique<Call>();
  const bool in_place = d.wants_in_place && d.is_root;
  const std::int64_t mine = units[index(d.rank)];
  if (d.is_root) {
    Layout layout = d.draw_layout(d.step.own);
    call->send = may_scatter ? d.scattered(layout, units) : d.row(layout, units);
    call->from = d.pass(call->send, units[0]);
  } else {
    call->from = d.junk(call->send);
  }
  if (in_place) {
    call->to = d.in_place();
  } else {
    call->receive = d.row(d.draw_layout(d.step.own), {mine});
    call->to = d.pass(call->receive, mine);
  }
  call->fill = [rank = d.rank, is_root = d.is_root, in_place](Call& c, std::uint64_t key) {
    fill_scatter(c, key, rank, is_root, in_place);
  };
  return call;
}

// Counts and displacements of a buffer's blocks.
void set_places(const Buffer& buffer, Counts& counts, Counts& places) {
  Units count;
  Units at;
  for (const Block& block : buffer.blocks()) {
    count.push_back(block.count);
    at.push_back(block.at);
  }
  counts = Counts(count);
  places = Counts(at);
}

}  // namespace

CallPointer draft_bcast(Draft& d) {
  const std::int64_t units = d.draw_units(1);
  d.wants_in_place = false;
  describe(d, "Bcast", units);
  auto call = std::make_unique<Call>();
  call->may_be_persistent = true;
  call->receive = d.row(d.draw_layout(d.step.own), {units});
  call->to = d.pass(call->receive, units);
  call->fill = [root = d.root, is_root = d.is_root](Call& c, std::uint64_t key) {
    c.receive.reset(key_of({key, 2}));
    const Bytes bytes = bytes_of(key, root, 0, c.receive.block_bytes(0));
    if (is_root) {
      c.receive.put(0, bytes);
    } else {
      c.receive.expect(0, bytes);
    }
  };
  call->begin = [root = d.root, comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Bcast, Ibcast, c.to.address, c.to.count, c.to.type, root,
                             comm);
  };
  return call;
}

CallPointer draft_gather(Draft& d) {
  const std::int64_t units = d.draw_units(d.size);
  describe(d, "Gather", units);
  CallPointer call = gather(d, Units(index(d.size), units), false);
  call->begin = [root = d.root, comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Gather, Igather, c.from.address, c.from.count,
                             c.from.type, c.to.address, c.to.count, c.to.type, root, comm);
  };
  return call;
}

CallPointer draft_gatherv(Draft& d) {
  const Units units = d.draw_several(d.size);
  describe(d, "Gatherv", units[index(d.root)]);
  CallPointer call = gather(d, units, true);
  if (d.is_root) set_places(call->receive, call->receive_counts, call->receive_places);
  call->begin = [root = d.root, comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Gatherv, Igatherv, c.from.address, c.from.count,
                             c.from.type, c.to.address, c.receive_counts, c.receive_places,
                             c.to.type, root, comm);
  };
  return call;
}

CallPointer draft_scatter(Draft& d) {
  const std::int64_t units = d.draw_units(d.size);
  describe(d, "Scatter", units);
  CallPointer call = scatter(d, Units(index(d.size), units), false);
  call->begin = [root = d.root, comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Scatter, Iscatter, c.from.address, c.from.count,
                             c.from.type, c.to.address, c.to.count, c.to.type, root, comm);
  };
  return call;
}

CallPointer draft_scatterv(Draft& d) {
  const Units units = d.draw_several(d.size);
  describe(d, "Scatterv", units[index(d.root)]);
  CallPointer call = scatter(d, units, true);
  if (d.is_root) set_places(call->send, call->send_counts, call->send_places);
  call->begin = [root = d.root, comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Scatterv, Iscatterv, c.from.address, c.send_counts,
                             c.send_places, c.from.type, c.to.address, c.to.count, c.to.type, root,
                             comm);
  };
  return call;
}

}  // namespace differential
