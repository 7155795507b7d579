#include "inter/engine.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "inter/assertion.h"

namespace mpiactor::inter {

std::uint64_t Engine::segment_begin(const PlanOp& op, std::uint32_t segment) const {
  return setup_.push ? op.offset : op.offset + segment * setup_.segment_bytes;
}

std::uint64_t Engine::segment_end(const PlanOp& op, std::uint32_t segment) const {
  if (setup_.push || op.is_strided()) return op.end();
  return std::min(op.end(), segment_begin(op, segment) + setup_.segment_bytes);
}

std::uint64_t Engine::finished_until(std::uint32_t index) const {
  const Operation& operation = operations_[index];
  const PlanOp& op = setup_.plan->ops[index];
  return operation.completed == operation.segments ? op.end()
                                                   : segment_begin(op, operation.completed);
}

bool Engine::ready(const PlanOp& op, std::uint32_t segment) const {
  const std::uint64_t begin = segment_begin(op, segment);
  const std::uint64_t end = segment_end(op, segment);
  if (op.kind == OpKind::kSend && setup_.there && setup_.there() < end) return false;
  for (const std::uint32_t wait : setup_.plan->waits_of(op)) {
    const PlanOp& other = setup_.plan->ops[wait];
    const bool overlap = other.offset < op.end() && op.offset < other.end();
    if (!overlap || op.is_strided() || other.is_strided()) {
      if (finished_until(wait) != other.end()) return false;
    } else if (begin < other.end() && other.offset < end) {
      if (finished_until(wait) < std::min(end, other.end())) return false;
    }
  }
  return true;
}

void Engine::send(const std::byte* data, std::uint64_t bytes, std::uint32_t index,
                  std::uint32_t segment) {
  Operation& operation = operations_[index];
  const int tag = setup_.push ? message_tag(setup_.sequence, MessageKind::kPush)
                              : message_tag(setup_.sequence, MessageKind::kData,
                                            setup_.plan->ops[index].channel);
  std::uint8_t& pending = operation.pending[segment % kMaxWindow];
  for (const int rank : operation.destinations) {
    MPI_Request request;
    // Called by name: an address taken would bind the MPI library before it is needed.
    const int count = static_cast<int>(bytes);
    const int to = ranks_.to(rank);
    const int error = setup_.synchronous
                          ? PMPI_Issend(data, count, MPI_BYTE, to, tag, setup_.comm, &request)
                          : PMPI_Isend(data, count, MPI_BYTE, to, tag, setup_.comm, &request);
    check_mpi(error, "sending to a node");
    bool has_left = false;
    if (setup_.push) check_mpi(end_if_over(request, has_left), "sending to a node");
    if (has_left) continue;
    requests_.push_back(request);
    flights_.push_back({index, segment});
    ++pending;
  }
  if (pending == 0) complete_segments(index);
}

void Engine::receive(std::byte* data, std::uint64_t bytes, std::uint32_t index,
                     std::uint32_t segment) {
  const PlanOp& op = setup_.plan->ops[index];
  const int tag = message_tag(setup_.sequence, MessageKind::kData, op.channel);
  const RankList leaders = setup_.leaders->of_node(op.peer);
  const bool is_known = setup_.direct && !setup_.from_any && leaders.size() == 1;
  const int source = is_known ? ranks_.to(leaders.front()) : MPI_ANY_SOURCE;
  MPI_Request request;
  check_mpi(PMPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, source, tag, setup_.comm, &request),
            "receiving from a node");
  requests_.push_back(request);
  flights_.push_back({index, segment});
  operations_[index].pending[segment % kMaxWindow] = 1;
}

void Engine::start_segment(std::uint32_t index, std::uint32_t segment) {
  MPIACTOR_ASSERT(segment < operations_[index].segments &&
                      operations_[index].pending[segment % kMaxWindow] == 0,
                  "request %" PRIu64
                  ", operation %u: segment %u of %u starts, %u messages of its "
                  "place under way",
                  setup_.sequence, index, segment, operations_[index].segments,
                  unsigned{operations_[index].pending[segment % kMaxWindow]});
  if (setup_.push) {
    start_push(index);
    return;
  }
  const PlanOp& op = setup_.plan->ops[index];
  const std::uint64_t begin = segment_begin(op, segment);
  const std::uint64_t bytes = segment_end(op, segment) - begin;
  if (op.kind == OpKind::kSend && op.is_strided()) {
    std::byte* packed = operations_[index].taken.data();
    for_each_run(op, [&](std::uint64_t at, std::uint64_t run) {
      std::memcpy(packed, setup_.buffer + at, run);
      packed += run;
    });
    send(operations_[index].taken.data(), bytes, index, segment);
  } else if (op.kind == OpKind::kSend && segment == 0 && list_.count != 0) {
    send_listed(index);
  } else if (op.kind == OpKind::kSend) {
    send(setup_.buffer + begin, bytes, index, segment);
  } else if (!op.takes_ahead()) {
    receive(setup_.buffer + begin, bytes, index, segment);
  } else {
    receive(intake(index, segment), bytes, index, segment);
  }
}

// Where an operation that takes ahead takes in a segment.
std::byte* Engine::intake(std::uint32_t index, std::uint32_t segment) {
  Operation& operation = operations_[index];
  return operation.taken.data() + segment % operation.window * setup_.segment_bytes;
}

bool Engine::start_ready() {
  bool any = false;
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    Operation& operation = operations_[i];
    const PlanOp& op = setup_.plan->ops[i];
    if (operation.started == operation.segments) continue;
    if (op.kind == OpKind::kSend && operation.destinations.empty()) continue;
    if (operation.predecessor != kNone) {
      const Operation& before = operations_[operation.predecessor];
      if (before.started != before.segments) continue;
    }
    if (setup_.trees != 0 && op.kind == OpKind::kSend && operation.started == 0 &&
        !look_up_list(op)) {
      continue;
    }
    while (operation.started < operation.segments &&
           operation.started - operation.completed < operation.window &&
           (op.takes_ahead() || ready(op, operation.started))) {
      start_segment(i, operation.started++);
      any = true;
    }
  }
  return any;
}

void Engine::finish(const Flight& flight) {
  if (flight.operation == kNone) {
    land(std::move(landings_[flight.segment]));
    return;
  }
  if (flight.operation == kList) {
    take_list(flight.segment);
    return;
  }
  MPIACTOR_ASSERT(flight.segment >= operations_[flight.operation].completed &&
                      flight.segment < operations_[flight.operation].started &&
                      operations_[flight.operation].pending[flight.segment % kMaxWindow] > 0,
                  "request %" PRIu64
                  ", operation %u: segment %u ends, but is not under way (%u "
                  "completed, %u started)",
                  setup_.sequence, flight.operation, flight.segment,
                  operations_[flight.operation].completed, operations_[flight.operation].started);
  if (--operations_[flight.operation].pending[flight.segment % kMaxWindow] == 0) {
    complete_segments(flight.operation);
  }
}

// Segments of an operation may end out of order; counts those before the first open one.
void Engine::complete_segments(std::uint32_t index) {
  Operation& operation = operations_[index];
  const PlanOp& op = setup_.plan->ops[index];
  while (operation.completed < operation.started &&
         operation.pending[operation.completed % kMaxWindow] == 0) {
    const std::uint64_t begin = segment_begin(op, operation.completed);
    const std::uint64_t bytes = segment_end(op, operation.completed) - begin;
    if (op.takes_ahead()) {
      if (!ready(op, operation.completed)) return;
      place(index, begin, bytes);
    }
    ++operation.completed;
    if (op.kind == OpKind::kSend) continue;
    if (!is_sure_) become_sure();
    if (setup_.push) {
      take_pushed(index);
    } else if (setup_.arrived) {
      setup_.arrived(begin, bytes);
    }
  }
  if (operation.completed != operation.segments) return;
  --open_operations_;
  if (op.takes_ahead()) --open_takes_;
}

// Puts what was taken ahead where it belongs.
void Engine::place(std::uint32_t index, std::uint64_t begin, std::uint64_t bytes) {
  const PlanOp& op = setup_.plan->ops[index];
  const std::byte* taken = intake(index, operations_[index].completed);
  if (op.kind == OpKind::kReceiveReduce) {
    setup_.combine(taken, begin, bytes, op.peer);
    return;
  }
  for_each_run(op, [&](std::uint64_t at, std::uint64_t run) {
    std::memcpy(setup_.buffer + at, taken, run);
    taken += run;
  });
}

// What has come, but had to wait for other operations, may be placed or combined now.
bool Engine::place_ready() {
  bool any = false;
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    Operation& operation = operations_[i];
    if (!setup_.plan->ops[i].takes_ahead()) continue;
    if (operation.completed == operation.segments) continue;
    const std::uint32_t before = operation.completed;
    complete_segments(i);
    any |= operation.completed != before;
  }
  return any;
}

bool Engine::collect() {
  if (requests_.empty()) return false;
  const int outstanding = static_cast<int>(requests_.size());
  indices_.resize(requests_.size());
  int completed = 0;
  if (setup_.trees != 0) statuses_.resize(requests_.size());
  check_mpi(PMPI_Testsome(outstanding, requests_.data(), &completed, indices_.data(),
                          setup_.trees != 0 ? statuses_.data() : MPI_STATUSES_IGNORE),
            "completing messages between nodes");
  if (completed <= 0) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) {
    const Flight flight = flights_[static_cast<std::size_t>(indices_[i])];
    if (setup_.trees == 0 || !receives_listed(flight, statuses_[i])) finish(flight);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    flights_[kept] = flights_[i];
    ++kept;
  }
  requests_.resize(kept);
  flights_.resize(kept);
  return true;
}

// Another size than believed: takes back what was begun. Nothing has been sent, since nothing has
// arrived.
void Engine::abandon() {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (!take_back(requests_[i]) && flights_[i].operation == kNone) {
      carried_.pushed.push_back(std::move(landings_[flights_[i].segment]));
    }
  }
  requests_.clear();
  flights_.clear();
  open_operations_ = 0;
  introductions_.close([&](const Announcement& heard) {
    carried_.heard.push_back(heard);
    return true;
  });
  carried_.heard.insert(carried_.heard.end(), counted_.begin(), counted_.end());
  withdraw_announcements();
}

bool Engine::progress() {
  bool any = introductions_.poll([this](const Announcement& heard) { return hear(heard); });
  while (!taken_over_.pushed.empty()) {
    KeptBytes message = std::move(taken_over_.pushed.back());
    taken_over_.pushed.pop_back();
    land(std::move(message));
    any = true;
  }
  if (setup_.served) leave_to_others();
  any |= collect();
  if (setup_.push && !any) lose_patience();
  if (open_takes_ != 0) any |= place_ready();
  if (open_operations_ != 0) any |= start_ready();
  introductions_.sent();
  if (any) {
    next_look_ns_ = 0;
  } else if (setup_.notices && !true_bytes_) {
    look_around();
  }
  if (true_bytes_ && open_operations_ != 0) abandon();
  return any;
}

void Engine::leave(DropList& drops) {
  if (has_lost_patience_) finish_pushes_in(drops);
  if (setup_.served) {
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].destinations.empty()) pass_by(i);
    }
  }
  MPIACTOR_WITH_ASSERTIONS(assert_completed());
  const int unheard =
      introductions_.close([this](const Announcement& heard) { return hear(heard); });
  drops.expect(message_tag(setup_.sequence, MessageKind::kAnnouncement), sizeof(Announcement),
               unheard);
  introductions_.finish_in(drops);
  if (!setup_.notices) return;
  if (!setup_.push) setup_.notices->leave(setup_.sequence);
  for (const Announcement& heard : carried_.heard) {
    if (heard.place == setup_.notices->place()) setup_.notices->heard_astray(heard.sequence);
  }
}

#if MPIACTOR_ASSERTIONS
// Every segment of every operation is over.
void Engine::assert_completed() const {
  MPIACTOR_ASSERT(done(), "request %" PRIu64 " is left with %zu open operations", setup_.sequence,
                  open_operations_);
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    MPIACTOR_ASSERT(operations_[i].completed == operations_[i].segments,
                    "request %" PRIu64 " is left with %u of operation %zu's %u segments",
                    setup_.sequence, operations_[i].completed, i, operations_[i].segments);
  }
}
#endif

}  // namespace mpiactor::inter
