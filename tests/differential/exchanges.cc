// MPI_Barrier, Allgather, Allgatherv, Alltoall, Alltoallv, Alltoallw.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/differential/draft.h"

namespace differential {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void describe(Draft& d, const char* name, std::int64_t units) {
  d.step.text += fmt::format("{}{}, {}", name, d.wants_in_place ? " in place" : "", d.sizes(units));
}

void fill_allgather(Call& call, std::uint64_t key, int rank, bool in_place) {
  call.send.reset(key_of({key, 1}));
  call.receive.reset(key_of({key, 2}));
  if (!in_place) call.send.put(0, bytes_of(key, rank, 0, call.send.block_bytes(0)));
  for (std::size_t i = 0; i < call.receive.blocks().size(); ++i) {
    const Bytes bytes = bytes_of(key, static_cast<int>(i), 0, call.receive.block_bytes(i));
    if (in_place && i == index(rank)) {
      call.receive.put(i, bytes);
    } else {
      call.receive.expect(i, bytes);
    }
  }
}

void fill_alltoall(Call& call, std::uint64_t key, int rank, bool in_place) {
  call.send.reset(key_of({key, 1}));
  call.receive.reset(key_of({key, 2}));
  for (std::size_t i = 0; i < call.receive.blocks().size(); ++i) {
    const auto other = static_cast<int>(i);
    if (in_place) {
      call.receive.put(i, bytes_of(key, rank, other, call.receive.block_bytes(i)));
    } else {
      call.send.put(i, bytes_of(key, rank, other, call.send.block_bytes(i)));
    }
    call.receive.expect(i, bytes_of(key, other, rank, call.receive.block_bytes(i)));
  }
}

// Types of its own for what this rank sends, or the same on all.
CallPointer allgather(Draft& d, const Units& units, Layout to, bool may_scatter, bool own_types) {
  auto call = std::make_unique<Call>();
  const std::int64_t mine = units[index(d.rank)];
  if (d.wants_in_place) {
    call->from = d.in_place();
  } else {
    call->send = d.row(d.draw_layout(own_types ? d.step.own : d.step.shared), {mine});
    call->from = d.pass(call->send, mine);
  }
  call->receive = may_scatter ? d.scattered(std::move(to), units) : d.row(std::move(to), units);
  call->to = d.pass(call->receive, units[0]);
  // A rank that gives nothing may name any buffer, also the one that it receives in.
  if (!d.wants_in_place && mine == 0 && d.step.own.one_in(3) && d.step.has("junk"))
    call->from.address = call->to.address;
  call->fill = [rank = d.rank, in_place = d.wants_in_place](Call& c, std::uint64_t key) {
    fill_allgather(c, key, rank, in_place);
  };
  return call;
}

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

// Units that each rank sends to each other; symmetric in place. Equal on all ranks.
std::vector<Units> draw_matrix(Draft& d) {
  std::vector<Units> matrix;
  const bool uniform = d.step.shared.one_in(3);
  const Units first = d.draw_several(d.size);
  for (int i = 0; i < d.size; ++i) {
    Units row;
    for (int j = 0; j < d.size; ++j) {
      const std::int64_t most = first[index(j)] / d.grain;
      const std::int64_t part = d.step.shared.below(static_cast<int>(most) + 1) * d.grain;
      row.push_back(uniform ? first[index(j)] : part);
    }
    matrix.push_back(std::move(row));
  }
  for (std::size_t i = 0; d.wants_in_place && i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) matrix[i][j] = matrix[j][i];
  }
  return matrix;
}

Units column(const std::vector<Units>& matrix, int rank) {
  Units units;
  for (const Units& row : matrix) units.push_back(row[index(rank)]);
  return units;
}

}  // namespace

CallPointer draft_barrier(Draft& d) {
  d.step.text += "Barrier";
  auto call = std::make_unique<Call>();
  call->may_be_persistent = true;
  call->fill = [](Call&, std::uint64_t) {};
  call->begin = [comm = d.on.comm](Call&, const Way& way, MPI_Request* request) {
    switch (way.kind) {
      case Kind::kBlocking:
        return way.profiled ? PMPI_Barrier(comm) : MPI_Barrier(comm);
      case Kind::kNonblocking:
        return way.profiled ? PMPI_Ibarrier(comm, request) : MPI_Ibarrier(comm, request);
      default:
        return way.profiled ? PMPI_Barrier_init(comm, MPI_INFO_NULL, request)
                            : MPI_Barrier_init(comm, MPI_INFO_NULL, request);
    }
  };
  return call;
}

CallPointer draft_allgather(Draft& d) {
  const std::int64_t units = d.draw_units(d.size);
  describe(d, "Allgather", units);
  CallPointer call =
      allgather(d, Units(index(d.size), units), d.draw_layout(d.step.own), false, true);
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Allgather, Iallgather, c.from.address, c.from.count,
                             c.from.type, c.to.address, c.to.count, c.to.type, comm);
  };
  return call;
}

CallPointer draft_allgatherv(Draft& d) {
  const Units units = d.draw_several(d.size);
  describe(d, "Allgatherv", units[0]);
  // MPICH 4.0 cuts long messages by elements of the receive type, so there it must be one on all
  // ranks, which MPI does not ask for. Open MPI 4.1 chooses an algorithm by the size of the send
  // type, and uses the receive type alone.
  const std::int64_t all =
      std::accumulate(units.begin(), units.end(), std::int64_t{0}) * unit_bytes(d.unit);
  Layout common = d.draw_layout(d.step.shared);
  Layout own = d.draw_layout(d.step.own);
  CallPointer call = allgather(
      d, units, all < 16384 && !kIsOpenMpi ? std::move(own) : std::move(common), true, !kIsOpenMpi);
  set_places(call->receive, call->receive_counts, call->receive_places);
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Allgatherv, Iallgatherv, c.from.address, c.from.count,
                             c.from.type, c.to.address, c.receive_counts, c.receive_places,
                             c.to.type, comm);
  };
  return call;
}

CallPointer draft_alltoall(Draft& d) {
  const std::int64_t units = d.draw_units(d.size);
  describe(d, "Alltoall", units);
  auto call = std::make_unique<Call>();
  const Units all(index(d.size), units);
  if (d.wants_in_place) {
    call->from = d.in_place();
  } else {
    call->send = d.row(d.draw_layout(d.step.own), all);
    call->from = d.pass(call->send, units);
  }
  call->receive = d.row(d.draw_layout(d.step.own), all);
  call->to = d.pass(call->receive, units);
  call->fill = [rank = d.rank, in_place = d.wants_in_place](Call& c, std::uint64_t key) {
    fill_alltoall(c, key, rank, in_place);
  };
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Alltoall, Ialltoall, c.from.address, c.from.count,
                             c.from.type, c.to.address, c.to.count, c.to.type, comm);
  };
  return call;
}

CallPointer draft_alltoallv(Draft& d) {
  const std::vector<Units> matrix = draw_matrix(d);
  describe(d, "Alltoallv", matrix[0][0]);
  auto call = std::make_unique<Call>();
  if (d.wants_in_place) {
    call->from = d.in_place();
  } else {
    call->send = d.scattered(d.draw_layout(d.step.own), matrix[index(d.rank)]);
    call->from = d.pass(call->send, 0);
    set_places(call->send, call->send_counts, call->send_places);
  }
  call->receive = d.scattered(d.draw_layout(d.step.own), column(matrix, d.rank));
  call->to = d.pass(call->receive, 0);
  set_places(call->receive, call->receive_counts, call->receive_places);
  call->fill = [rank = d.rank, in_place = d.wants_in_place](Call& c, std::uint64_t key) {
    fill_alltoall(c, key, rank, in_place);
  };
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Alltoallv, Ialltoallv, c.from.address, c.send_counts,
                             c.send_places, c.from.type, c.to.address, c.receive_counts,
                             c.receive_places, c.to.type, comm);
  };
  return call;
}

// Every block has a type of its own, whose addresses are absolute.
CallPointer draft_alltoallw(Draft& d) {
  d.wants_in_place = false;
  const std::vector<Units> matrix = draw_matrix(d);
  describe(d, "Alltoallw", matrix[0][0]);
  auto call = std::make_unique<Call>();
  const auto n = index(d.size);
  const Units received = column(matrix, d.rank);
  std::array<Units, 2> counts;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    const bool sends = i < n;
    const std::int64_t units = sends ? matrix[index(d.rank)][i] : received[i - n];
    call->parts.push_back(d.row(d.draw_layout(d.step.own), {units}));
    Buffer& part = call->parts.back();
    part.make_absolute();
    (sends ? call->send_types : call->receive_types).push_back(part.type());
    counts[sends ? 0 : 1].push_back(d.elements(part.layout(), units));
  }
  call->send_counts = Counts(counts[0]);
  call->receive_counts = Counts(counts[1]);
  call->send_places = call->receive_places = Counts(Units(n, 0));
  call->fill = [rank = d.rank, size = d.size](Call& c, std::uint64_t key) {
    for (int i = 0; i < size; ++i) {
      Buffer& given = c.parts[index(i)];
      Buffer& taken = c.parts[index(size + i)];
      given.reset(key_of({key, 1}));
      taken.reset(key_of({key, 2}));
      given.put(0, bytes_of(key, rank, i, given.block_bytes(0)));
      taken.expect(0, bytes_of(key, i, rank, taken.block_bytes(0)));
    }
  };
  call->begin = [comm = d.on.comm](Call& c, const Way& way, MPI_Request* request) {
    return DIFFERENTIAL_CALL(way, request, Alltoallw, Ialltoallw, MPI_BOTTOM, c.send_counts,
                             c.send_places, c.send_types.data(), MPI_BOTTOM, c.receive_counts,
                             c.receive_places, c.receive_types.data(), comm);
  };
  return call;
}

}  // namespace differential
