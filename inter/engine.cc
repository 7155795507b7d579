#include "inter/engine.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "inter/assertion.h"
#include "inter/engine_memory.h"

namespace mpiactor::inter {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// Operations of one channel: same direction, peer and number.
using Channel = std::tuple<bool, int, int>;
Channel channel_of(const PlanOp& op) { return {op.kind == OpKind::kSend, op.peer, op.channel}; }

// Which of the plan's receives operation `index` is.
std::uint32_t receive_number(const Plan& plan, std::uint32_t index) {
  std::uint32_t number = 0;
  for (std::uint32_t i = 0; i < index; ++i) number += plan.ops[i].kind != OpKind::kSend;
  return number;
}

}  // namespace

Engine::Engine(EngineSetup setup)
    : setup_(std::move(setup)),
      introductions_(setup_.comm, setup_.sequence),
      received_bytes_(setup_.message_bytes) {
  const Plan& plan = *setup_.plan;
  MPIACTOR_ASSERT(setup_.window >= 1 && setup_.window <= kMaxWindow, "a window of %d segments",
                  setup_.window);
  operations_.resize(plan.ops.size());
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    MPIACTOR_ASSERT(op.bytes > 0 && op.offset < op.reach() && op.reach() <= setup_.capacity,
                    "request %" PRIu64 ", operation %zu: bytes [%" PRIu64 ", %" PRIu64
                    ") of a buffer of %" PRIu64,
                    setup_.sequence, i, op.offset, op.reach(), setup_.capacity);
    // A pushed message goes in one piece.
    operations_[i].segments =
        setup_.push || op.is_strided()
            ? 1
            : static_cast<std::uint32_t>((op.bytes - 1) / setup_.segment_bytes + 1);
    const bool known = setup_.direct || (setup_.push && !announces_for_push(op.peer));
    if (op.kind == OpKind::kSend && known) {
      operations_[i].destinations = setup_.leaders->of_node(op.peer);
    }
    if (op.takes_ahead()) ++open_takes_;
  }
  open_operations_ = operations_.size();
  choose_windows();
  make_intake();
  order_channels();
  introduce();
  start_ready();
}

// A peer is used once a call, however many operations there are with it, and where it has more to
// send than small buffers hold.
void Engine::choose_windows() {
  for (Operation& operation : operations_) {
    operation.window = static_cast<std::uint32_t>(setup_.window);
  }
  if (!setup_.peers || setup_.peers->are_all_large()) return;
  const std::vector<PlanOp>& ops = setup_.plan->ops;
  std::map<int, bool> is_large;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != OpKind::kReceiveReduce || operations_[i].segments == 1) continue;
    const auto [peer, is_new] = is_large.try_emplace(ops[i].peer, false);
    if (is_new) peer->second = setup_.peers->use(ops[i].peer);
    if (!peer->second) operations_[i].window = 1;
  }
}

// Where operations take in what must wait, or pack what they send.
void Engine::make_intake() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    const std::uint64_t bytes =
        intake_bytes(op, setup_.segment_bytes, static_cast<int>(operations_[i].window));
    operations_[i].taken.resize(bytes);
    if (op.takes_ahead()) intake_bytes_ += bytes;
  }
  PeerBuffers::take(intake_bytes_);
}

// Messages of one channel are told apart by their order alone, so both sides must start the
// operations of a channel in plan order.
void Engine::order_channels() {
  const std::vector<PlanOp>& ops = setup_.plan->ops;
  constexpr std::size_t kFew = 16;  // compared with each other, which is quicker than a map
  if (ops.size() <= kFew) {
    for (std::uint32_t i = 1; i < ops.size(); ++i) {
      for (std::uint32_t j = i; j-- > 0 && operations_[i].predecessor == kNone;) {
        if (channel_of(ops[i]) == channel_of(ops[j])) operations_[i].predecessor = j;
      }
    }
    return;
  }
  std::map<Channel, std::uint32_t> last;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const auto [entry, fresh] = last.try_emplace(channel_of(ops[i]), i);
    if (!fresh) operations_[i].predecessor = std::exchange(entry->second, i);
  }
}

// Whether `peer`, which receives from this node, announces itself for a pushed message: where it
// has a choice of leaders and all know who leads here.
bool Engine::announces_for_push(int peer) const {
  return setup_.leaders->of_node(setup_.node).size() == 1 &&
         setup_.leaders->of_node(peer).size() > 1;
}

// Says who leads here to those who ask themselves, and listens to the others.
void Engine::introduce() {
  if (setup_.direct) return;
  const Announcement self{setup_.node, setup_.rank, setup_.message_bytes, setup_.stays};
  const bool choice = setup_.leaders->of_node(setup_.node).size() > 1;
  bool announced = false;
  for_each_peer(*setup_.plan, false, [&](int peer) {
    if (setup_.push && !(choice && setup_.leaders->of_node(peer).size() == 1)) return;
    introductions_.announce(self, *setup_.leaders, peer);
    announced = true;
  });
  int awaited = 0;
  for_each_peer(*setup_.plan, true,
                [&](int peer) { awaited += !setup_.push || announces_for_push(peer); });
  introductions_.listen(awaited);
  if (setup_.push) {
    if (awaited != 0) {
      push_deadline_ns_ = now_ns() + std::uint64_t{setup_.push_patience_us} * 1000 + 1;
    }
  } else if (announced) {
    introductions_.listen_for_correction();
  }
}

// Returns whether the node that announces is served now.
bool Engine::hear(const Announcement& announcement) {
  if (!setup_.push && announcement.bytes != setup_.message_bytes) {
    // The erroneous program of a receive buffer that does not fit the root's: it announces again.
    introductions_.correct(announcement, setup_.message_bytes);
    return false;
  }
  if (setup_.introduced) setup_.introduced(announcement);
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    Operation& operation = operations_[i];
    if (op.kind != OpKind::kSend || op.peer != announcement.node) continue;
    if (!operation.destinations.empty()) continue;  // late: it has been pushed to
    operation.destinations = RankList::single(announcement.rank);
  }
  return true;
}

// Nodes that have not announced themselves in time.
void Engine::push_to_all() {
  push_deadline_ns_ = 0;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    if (op.kind == OpKind::kSend && operations_[i].destinations.empty()) {
      operations_[i].destinations = setup_.leaders->of_node(op.peer);
    }
  }
}

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
  const int tag = message_tag(setup_.sequence, MessageKind::kData, setup_.plan->ops[index].channel);
  for (const int rank : operation.destinations) {
    MPI_Request request;
    // Called by name: an address taken would bind the MPI library before it is needed.
    const int count = static_cast<int>(bytes);
    const int error = setup_.synchronous
                          ? PMPI_Issend(data, count, MPI_BYTE, rank, tag, setup_.comm, &request)
                          : PMPI_Isend(data, count, MPI_BYTE, rank, tag, setup_.comm, &request);
    check_mpi(error, "sending to a node");
    requests_.push_back(request);
    flights_.push_back({index, segment});
  }
  operation.pending[segment % kMaxWindow] =
      static_cast<std::uint8_t>(operation.destinations.size());
}

void Engine::receive(std::byte* data, std::uint64_t bytes, std::uint32_t index,
                     std::uint32_t segment) {
  const PlanOp& op = setup_.plan->ops[index];
  const int tag = message_tag(setup_.sequence, MessageKind::kData, op.channel);
  const RankList leaders = setup_.leaders->of_node(op.peer);
  const int source = setup_.direct && leaders.size() == 1 ? leaders.front() : MPI_ANY_SOURCE;
  MPI_Request request;
  check_mpi(PMPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, source, tag, setup_.comm, &request),
            "receiving from a node");
  requests_.push_back(request);
  flights_.push_back({index, segment});
  operations_[index].pending[segment % kMaxWindow] = 1;
}

void Engine::start_push(std::uint32_t index) {
  const PlanOp& op = setup_.plan->ops[index];
  Operation& operation = operations_[index];
  if (op.kind != OpKind::kSend) {
    // The message may be longer than this node believes: there is room for all of it.
    operation.taken.resize(sizeof(PushHeader) + setup_.capacity - op.offset);
    receive(operation.taken.data(), operation.taken.size(), index, 0);
    return;
  }
  // It is passed on as it came, also where this node believed in another size.
  const bool as_believed = received_bytes_ == setup_.message_bytes;
  const std::uint64_t bytes = (as_believed ? op.end() : received_bytes_) - op.offset;
  const PushHeader header{operation.destinations.size() > 1};
  operation.taken.resize(sizeof header + bytes);
  std::memcpy(operation.taken.data(), &header, sizeof header);
  std::memcpy(operation.taken.data() + sizeof header, setup_.buffer + op.offset, bytes);
  send(operation.taken.data(), operation.taken.size(), index, 0);
}

void Engine::take_pushed(std::uint32_t index, const MPI_Status& status) {
  const PlanOp& op = setup_.plan->ops[index];
  int count = 0;
  PMPI_Get_count(&status, MPI_BYTE, &count);
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) - sizeof(PushHeader);
  PushHeader header;
  const std::byte* const message = operations_[index].taken.data();
  MPIACTOR_ASSERT(
      static_cast<std::size_t>(count) >= sizeof header && bytes <= setup_.capacity - op.offset,
      "request %" PRIu64 ": %" PRIu64 " bytes came for a buffer of %" PRIu64, setup_.sequence,
      bytes, setup_.capacity - op.offset);
  std::memcpy(&header, message, sizeof header);
  std::memcpy(setup_.buffer + op.offset, message + sizeof header, bytes);
  if (header.to_all) {
    copied_receives_ |= std::uint64_t{1} << (receive_number(*setup_.plan, index) % 64);
  }
  if (bytes != op.bytes) received_bytes_ = op.offset + bytes;
  if (setup_.arrived) setup_.arrived(op.offset, bytes);
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
    while (operation.started < operation.segments &&
           operation.started - operation.completed < operation.window &&
           (op.takes_ahead() || ready(op, operation.started))) {
      start_segment(i, operation.started++);
      any = true;
    }
  }
  return any;
}

void Engine::finish(const Flight& flight, const MPI_Status& status) {
  MPIACTOR_ASSERT(flight.segment >= operations_[flight.operation].completed &&
                      flight.segment < operations_[flight.operation].started &&
                      operations_[flight.operation].pending[flight.segment % kMaxWindow] > 0,
                  "request %" PRIu64
                  ", operation %u: segment %u ends, but is not under way (%u "
                  "completed, %u started)",
                  setup_.sequence, flight.operation, flight.segment,
                  operations_[flight.operation].completed, operations_[flight.operation].started);
  if (--operations_[flight.operation].pending[flight.segment % kMaxWindow] == 0) {
    complete_segments(flight.operation, status);
  }
}

// Segments of an operation may end out of order; counts those before the first open one.
void Engine::complete_segments(std::uint32_t index, const MPI_Status& status) {
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
    if (setup_.push) {
      take_pushed(index, status);
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
    complete_segments(i, MPI_Status{});
    any |= operation.completed != before;
  }
  return any;
}

bool Engine::collect() {
  if (requests_.empty()) return false;
  const int outstanding = static_cast<int>(requests_.size());
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int completed = 0;
  check_mpi(
      PMPI_Testsome(outstanding, requests_.data(), &completed, indices_.data(), statuses_.data()),
      "completing messages between nodes");
  if (completed <= 0) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) {
    finish(flights_[static_cast<std::size_t>(indices_[i])], statuses_[i]);
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

// Another size than believed: give the posted receives back.
void Engine::abandon() {
  for (MPI_Request& request : requests_) {
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  requests_.clear();
  flights_.clear();
  open_operations_ = 0;
}

bool Engine::progress() {
  bool any = introductions_.poll([this](const Announcement& heard) { return hear(heard); });
  if (push_deadline_ns_ != 0 && (introductions_.awaited() == 0 || now_ns() > push_deadline_ns_)) {
    push_to_all();
  }
  any |= collect();
  if (open_takes_ != 0) any |= place_ready();
  if (open_operations_ != 0) any |= start_ready();
  introductions_.sent();
  if (!any && !setup_.push && !setup_.direct) {
    if (const auto bytes = introductions_.poll_correction()) {
      true_bytes_ = bytes;
      abandon();
    }
  }
  return any;
}

void Engine::leave(DropList& drops) {
  MPIACTOR_WITH_ASSERTIONS(assert_completed());
  const int unheard = introductions_.close();
  drops.expect(message_tag(setup_.sequence, MessageKind::kAnnouncement), sizeof(Announcement),
               unheard);
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

void expect_announcements(DropList& drops, const Plan& plan, std::uint64_t sequence) {
  int announcing = 0;
  for_each_peer(plan, true, [&](int) { ++announcing; });
  drops.expect(message_tag(sequence, MessageKind::kAnnouncement), sizeof(Announcement), announcing);
}

void expect_copies(DropList& drops, const Plan& plan, std::uint64_t sequence,
                   std::uint64_t copied_receives, std::uint64_t largest_push_bytes) {
  std::uint32_t number = 0;
  for (const PlanOp& op : plan.ops) {
    if (op.kind == OpKind::kSend) continue;
    if (copied_receives >> number++ & 1) {
      drops.expect(message_tag(sequence, MessageKind::kData, op.channel),
                   sizeof(PushHeader) + largest_push_bytes, 1);
    }
  }
}

}  // namespace mpiactor::inter
