#include "inter/engine.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace mpiactor::inter {
namespace {

void check(int error, const char* what) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  PMPI_Error_string(error, text, &length);
  throw std::runtime_error(std::string(what) + ": " +
                           std::string(text, static_cast<std::size_t>(length)));
}

// Calls use(node) once for every distinct peer of the operations of one kind. Plans of trees have
// few operations a node, those of rings one peer after the other: looking back is cheap.
template <typename Use>
void for_each_peer(const Plan& plan, bool sends, Use use) {
  std::vector<int> seen;
  for (const PlanOp& op : plan.ops) {
    if ((op.kind == OpKind::kSend) != sends) continue;
    if (!seen.empty() && seen.back() == op.peer) continue;
    if (std::find(seen.begin(), seen.end(), op.peer) != seen.end()) continue;
    seen.push_back(op.peer);
    use(op.peer);
  }
}

}  // namespace

int message_tag(std::uint64_t sequence, MessageKind kind, int channel) {
  return static_cast<int>((sequence % kSequenceWindow) << 12) | static_cast<int>(kind) << 10 |
         channel;
}

Engine::Engine(EngineSetup setup)
    : setup_(std::move(setup)), received_bytes_(setup_.message_bytes) {
  const Plan& plan = *setup_.plan;
  operations_.resize(plan.ops.size());
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    operations_[i].segments = static_cast<std::uint32_t>((op.bytes - 1) / setup_.segment_bytes + 1);
    if (op.kind != OpKind::kSend) continue;
    if (setup_.push) operations_[i].destinations = setup_.leaders->of_node(op.peer);
  }
  open_operations_ = operations_.size();
  order_channels();
  if (!setup_.push) {
    announce();
    listen();
  }
  start_ready();
}

Engine::~Engine() {
  if (correction_request_ != MPI_REQUEST_NULL) {
    PMPI_Cancel(&correction_request_);
    PMPI_Wait(&correction_request_, MPI_STATUS_IGNORE);
  }
  if (incoming_request_ != MPI_REQUEST_NULL) {
    PMPI_Cancel(&incoming_request_);
    PMPI_Wait(&incoming_request_, MPI_STATUS_IGNORE);
  }
}

// Messages of one channel are told apart by their order alone, so both sides must start the
// operations of a channel in plan order. Only long plans use a channel twice.
void Engine::order_channels() {
  const std::vector<PlanOp>& ops = setup_.plan->ops;
  if (ops.size() <= static_cast<std::size_t>(kMaxChannels)) return;
  std::map<std::tuple<bool, int, int>, std::uint32_t> last;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const auto [entry, fresh] =
        last.try_emplace({ops[i].kind == OpKind::kSend, ops[i].peer, ops[i].channel}, i);
    if (!fresh) operations_[i].predecessor = std::exchange(entry->second, i);
  }
}

// Tells the nodes that this one receives from who leads here, and the size that it believes in.
void Engine::announce() {
  announcement_ = {setup_.node, setup_.rank, setup_.message_bytes};
  bool any = false;
  for_each_peer(*setup_.plan, false, [&](int peer) {
    for (const int rank : setup_.leaders->of_node(peer)) {
      MPI_Request request;
      check(PMPI_Isend(&announcement_, sizeof announcement_, MPI_BYTE, rank,
                       message_tag(setup_.sequence, MessageKind::kAnnouncement), setup_.comm,
                       &request),
            "announcing a leader");
      track(request, {kNone, 0});
    }
    any = true;
  });
  if (!any) return;
  check(PMPI_Irecv(&correction_, sizeof correction_, MPI_BYTE, MPI_ANY_SOURCE,
                   message_tag(setup_.sequence, MessageKind::kCorrection), setup_.comm,
                   &correction_request_),
        "listening for a correction");
}

// Waits for the announcements of the nodes that this one sends to.
void Engine::listen() {
  for_each_peer(*setup_.plan, true, [&](int) { ++unannounced_nodes_; });
  if (unannounced_nodes_ == 0) return;
  check(PMPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE,
                   message_tag(setup_.sequence, MessageKind::kAnnouncement), setup_.comm,
                   &incoming_request_),
        "listening for announcements");
}

void Engine::take_announcement() {
  const Announcement announcement = incoming_;
  if (announcement.bytes == setup_.message_bytes) {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const PlanOp& op = setup_.plan->ops[i];
      if (op.kind != OpKind::kSend || op.peer != announcement.node) continue;
      operations_[i].destination = announcement.rank;
      operations_[i].destinations = {&operations_[i].destination, 1};
    }
    --unannounced_nodes_;
  } else {
    correct(announcement);  // it will announce once more
  }
  if (unannounced_nodes_ == 0) return;
  check(PMPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE,
                   message_tag(setup_.sequence, MessageKind::kAnnouncement), setup_.comm,
                   &incoming_request_),
        "listening for announcements");
}

// The erroneous program of a receive buffer that does not fit the root's: tell the other side.
void Engine::correct(const Announcement& announcement) {
  check(PMPI_Send(&setup_.message_bytes, sizeof setup_.message_bytes, MPI_BYTE, announcement.rank,
                  message_tag(setup_.sequence, MessageKind::kCorrection), setup_.comm),
        "correcting a message size");
}

std::uint64_t Engine::segment_begin(const PlanOp& op, std::uint32_t segment) const {
  return op.offset + segment * setup_.segment_bytes;
}

std::uint64_t Engine::segment_end(const PlanOp& op, std::uint32_t segment) const {
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
    if (!overlap) {
      if (finished_until(wait) != other.end()) return false;
    } else if (begin < other.end() && other.offset < end) {
      if (finished_until(wait) < std::min(end, other.end())) return false;
    }
  }
  return true;
}

void Engine::track(MPI_Request request, Flight flight) {
  requests_.push_back(request);
  flights_.push_back(flight);
}

void Engine::start_segment(std::uint32_t index, std::uint32_t segment) {
  const PlanOp& op = setup_.plan->ops[index];
  Operation& operation = operations_[index];
  const std::uint64_t begin = segment_begin(op, segment);
  std::uint64_t end = segment_end(op, segment);
  // A pushed message is passed on as it came, also where this node believed in another size.
  if (received_bytes_ != setup_.message_bytes) end = received_bytes_;
  const int tag = message_tag(setup_.sequence, MessageKind::kData, op.channel);
  std::byte* const data = setup_.buffer + begin;
  MPI_Request request;
  if (op.kind == OpKind::kSend) {
    for (const int rank : operation.destinations) {
      check(PMPI_Isend(data, static_cast<int>(end - begin), MPI_BYTE, rank, tag, setup_.comm,
                       &request),
            "sending to a node");
      track(request, {index, segment});
    }
    operation.pending[segment % kMaxWindow] =
        static_cast<std::uint8_t>(operation.destinations.size());
  } else {
    // A pushed message may be longer than this node believes: take it whole.
    const std::uint64_t room = setup_.push ? setup_.capacity - begin : end - begin;
    const int count =
        static_cast<int>(std::min<std::uint64_t>(room, std::numeric_limits<int>::max()));
    check(PMPI_Irecv(data, count, MPI_BYTE, MPI_ANY_SOURCE, tag, setup_.comm, &request),
          "receiving from a node");
    track(request, {index, segment});
    operation.pending[segment % kMaxWindow] = 1;
  }
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
           operation.started - operation.completed < static_cast<std::uint32_t>(setup_.window) &&
           ready(op, operation.started)) {
      start_segment(i, operation.started++);
      any = true;
    }
  }
  return any;
}

void Engine::finish(const Flight& flight, const MPI_Status& status) {
  if (flight.operation == kNone) return;
  Operation& operation = operations_[flight.operation];
  const PlanOp& op = setup_.plan->ops[flight.operation];
  if (--operation.pending[flight.segment % kMaxWindow] != 0) return;
  if (op.kind != OpKind::kSend && setup_.push) {
    int count = 0;
    PMPI_Get_count(&status, MPI_BYTE, &count);
    const std::uint64_t expected =
        segment_end(op, flight.segment) - segment_begin(op, flight.segment);
    if (static_cast<std::uint64_t>(count) != expected) {
      received_bytes_ = segment_begin(op, flight.segment) + static_cast<std::uint64_t>(count);
    }
  }
  // Segments of an operation may complete out of order; count those before the first open one.
  while (operation.completed < operation.started &&
         operation.pending[operation.completed % kMaxWindow] == 0) {
    const std::uint64_t begin = segment_begin(op, operation.completed);
    const std::uint64_t end = segment_end(op, operation.completed);
    ++operation.completed;
    if (op.kind == OpKind::kSend || !setup_.arrived) continue;
    const bool as_believed = received_bytes_ == setup_.message_bytes;
    setup_.arrived(begin, (as_believed ? end : received_bytes_) - begin);
  }
  if (operation.completed == operation.segments) --open_operations_;
}

bool Engine::collect() {
  if (requests_.empty()) return false;
  const int outstanding = static_cast<int>(requests_.size());
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int completed = 0;
  check(PMPI_Testsome(outstanding, requests_.data(), &completed, indices_.data(), statuses_.data()),
        "completing messages between nodes");
  if (completed <= 0) return false;
  for (int i = 0; i < completed; ++i) {
    finish(flights_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])],
           statuses_[static_cast<std::size_t>(i)]);
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
  bool any = false;
  int flag = 0;
  while (incoming_request_ != MPI_REQUEST_NULL) {
    check(PMPI_Test(&incoming_request_, &flag, MPI_STATUS_IGNORE), "receiving announcements");
    if (!flag) break;
    take_announcement();
    any = true;
  }
  any |= collect();
  if (open_operations_ != 0) any |= start_ready();
  if (!any && correction_request_ != MPI_REQUEST_NULL) {
    check(PMPI_Test(&correction_request_, &flag, MPI_STATUS_IGNORE), "receiving a correction");
    if (flag) {
      true_bytes_ = correction_;
      abandon();
    }
  }
  return any;
}

DropList::~DropList() {
  for (Drop& drop : drops_) {
    PMPI_Cancel(&drop.request);
    PMPI_Wait(&drop.request, MPI_STATUS_IGNORE);
  }
}

void DropList::expect(int tag, std::uint64_t bytes, int count) {
  for (int i = 0; i < count; ++i) {
    Drop drop;
    if (!spare_.empty()) {
      drop.scrap = std::move(spare_.back());
      spare_.pop_back();
    }
    drop.scrap.resize(bytes);
    check(PMPI_Irecv(drop.scrap.data(), static_cast<int>(bytes), MPI_BYTE, MPI_ANY_SOURCE, tag,
                     comm_, &drop.request),
          "receiving what another member handles");
    drops_.push_back(std::move(drop));
  }
}

void DropList::expect_request(const Plan& plan, const PossibleLeaders& leaders, int node,
                              std::uint64_t sequence, bool push, std::uint64_t push_capacity) {
  if (leaders.of_node(node).size() <= 1) return;
  if (push) {
    for (const PlanOp& op : plan.ops) {
      if (op.kind == OpKind::kSend) continue;
      expect(message_tag(sequence, MessageKind::kData, op.channel), push_capacity, 1);
    }
    return;
  }
  int announcing = 0;
  for_each_peer(plan, true, [&](int) { ++announcing; });
  expect(message_tag(sequence, MessageKind::kAnnouncement), sizeof(Announcement), announcing);
}

void DropList::sweep() {
  for (std::size_t i = 0; i < drops_.size();) {
    int flag = 0;
    check(PMPI_Test(&drops_[i].request, &flag, MPI_STATUS_IGNORE), "dropping a message");
    if (!flag) {
      ++i;
      continue;
    }
    spare_.push_back(std::move(drops_[i].scrap));
    drops_[i] = std::move(drops_.back());
    drops_.pop_back();
  }
}

void DropList::drain(const std::function<void()>& pause) {
  for (sweep(); !drops_.empty(); sweep()) pause();
}

}  // namespace mpiactor::inter
