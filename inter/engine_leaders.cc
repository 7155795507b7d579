// How an engine finds the ranks that lead other nodes, and they it: announcements, and short
// messages that are pushed to all who may lead.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>

#include "inter/assertion.h"
#include "inter/engine.h"
#include "inter/pushed.h"

namespace mpiactor::inter {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

bool Engine::receives_nothing() const {
  return std::all_of(setup_.plan->ops.begin(), setup_.plan->ops.end(),
                     [](const PlanOp& op) { return op.kind == OpKind::kSend; });
}

// Calls use(node) for those to whom this node's leader announces itself.
template <typename Use>
void Engine::for_each_told(Use use) const {
  if (setup_.direct || setup_.push) return;
  for_each_peer(*setup_.plan, false, use);
}

// Of announced messages: says who leads here, and listens to the others.
void Engine::introduce() {
  if (setup_.direct) return;
  const Announcement self{.node = setup_.node,
                          .rank = setup_.rank,
                          .bytes = setup_.message_bytes,
                          .place = setup_.notices ? setup_.notices->place() : 0,
                          .sequence = setup_.sequence,
                          .uneven_ns = static_cast<std::uint64_t>(setup_.uneven.count())};
  for_each_told([&](int peer) { introductions_.announce(self, *setup_.leaders, peer); });
  int awaited = 0;
  if (!setup_.push) for_each_peer(*setup_.plan, true, [&](int) { ++awaited; });
  for (const Announcement& heard : taken_over_.heard) awaited -= hear(heard);
  introductions_.listen(awaited);
  if (setup_.push && receives_nothing()) push_to_all();
}

// Returns whether the node that announces is served now. One that believes in another size
// announces again when it knows better.
bool Engine::hear(const Announcement& announcement) {
  const bool is_of_this = announcement.sequence == setup_.sequence &&
                          (!setup_.notices || announcement.place == setup_.notices->place());
  if (is_of_this && setup_.others_uneven) {
    setup_.others_uneven(std::chrono::nanoseconds(announcement.uneven_ns));
  }
  const bool is_right = !setup_.push && announcement.bytes == setup_.message_bytes;
  if (is_of_this && is_right && serve(announcement)) {
    if (!is_sure_) counted_.push_back(announcement);
    return true;
  }
  carried_.heard.push_back(announcement);
  if (is_sure_) answer();
  return false;
}

// False where nothing is sent to its node.
bool Engine::serve(const Announcement& announcement) {
  bool is_peer = false;
  std::optional<bool> is_claimed;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    Operation& operation = operations_[i];
    if (op.kind != OpKind::kSend || op.peer != announcement.node) continue;
    is_peer = true;
    if (!operation.destinations.empty()) continue;
    if (operation.completed == operation.segments) continue;  // others serve it
    if (setup_.served && setup_.served->has_inherited({op.peer, op.channel})) {
      pass_by(static_cast<std::uint32_t>(i));
      continue;
    }
    if (!is_claimed) is_claimed = claim(op.peer);
    if (*is_claimed) {
      operation.destinations = RankList::single(announcement.rank);
    } else {
      pass_by(static_cast<std::uint32_t>(i));
    }
  }
  return is_peer;
}

std::size_t Engine::child(int peer) const {
  return static_cast<std::size_t>(std::find(children_.begin(), children_.end(), peer) -
                                  children_.begin());
}

// Whether this engine serves `peer`.
bool Engine::claim(int peer) { return !setup_.served || setup_.served->claim(child(peer)); }

// Nodes that others serve, of this node or above it, though they have not been heard of here.
void Engine::leave_to_others() {
  const std::uint64_t version = setup_.served->version();
  if (version == known_version_) return;
  known_version_ = version;
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    if (op.kind != OpKind::kSend || operations_[i].started != 0) continue;
    if (!operations_[i].destinations.empty()) continue;
    if (ServedNodes::is_claimed(version, child(op.peer)) ||
        setup_.served->has_inherited({op.peer, op.channel})) {
      pass_by(i);
    }
  }
}

// An operation that others do.
void Engine::pass_by(std::uint32_t index) {
  Operation& operation = operations_[index];
  if (operation.completed == operation.segments) return;
  operation.started = operation.completed = operation.segments;
  --open_operations_;
}

bool Engine::waits_for_late_nodes() const {
  if (!setup_.served || !requests_.empty()) return false;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (operations_[i].completed == operations_[i].segments) continue;
    if (setup_.plan->ops[i].kind != OpKind::kSend || !operations_[i].destinations.empty())
      return false;
  }
  return true;
}

void Engine::become_sure() {
  is_sure_ = true;
  counted_.clear();
  answer();
}

// Tells those that have announced another size.
void Engine::answer() {
  for (; answered_ < carried_.heard.size(); ++answered_) {
    const Announcement& heard = carried_.heard[answered_];
    if (setup_.push || !setup_.notices || heard.sequence != setup_.sequence) continue;
    if (heard.place != setup_.notices->place() || heard.bytes == setup_.message_bytes) continue;
    setup_.notices->tell_size(heard.rank, setup_.sequence, setup_.message_bytes);
  }
}

// After a while without anything: perhaps this node waits for something that does not come.
void Engine::look_around() {
  constexpr std::uint64_t kPauseNs = 1'000'000;
  constexpr std::uint64_t kFirstReminderNs = 50'000'000;
  const std::uint64_t now = now_ns();
  if (next_look_ns_ == 0) next_look_ns_ = now + kPauseNs;
  if (reminder_pause_ns_ == 0) {
    reminder_pause_ns_ = kFirstReminderNs;
    next_reminder_ns_ = now + reminder_pause_ns_;
  }
  if (now < next_look_ns_) return;
  next_look_ns_ = now + kPauseNs;
  setup_.notices->poll();
  if (setup_.trees != 0) {
    take_offers();
    offer_below(now);
    adopt_those_who_ask();
  }
  if (!is_sure_) {
    const auto told = setup_.notices->size_of(setup_.sequence);
    if (told && *told == setup_.message_bytes) become_sure();
    if (told && *told != setup_.message_bytes) {
      true_bytes_ = told;
      carried_.is_sure = true;
      return;
    }
    if (!setup_.push) look_for_push();
  } else if (!setup_.push && introductions_.awaited() != 0 && now >= next_reminder_ns_) {
    remind();
    reminder_pause_ns_ *= 2;
    next_reminder_ns_ = now + reminder_pause_ns_;
  }
}

// For who believes in a longer message than it is.
void Engine::look_for_push() {
  auto pushed = inter::take_pushed(setup_.comm, setup_.sequence);
  if (pushed) land(std::move(*pushed));
}

// Nodes of which nothing is heard may be late, or lead by one that believes in another size and
// announces itself elsewhere, or waits for a push.
void Engine::remind() {
  int last = -1;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    if (op.kind != OpKind::kSend || !operations_[i].destinations.empty() || op.peer == last)
      continue;
    if (operations_[i].completed == operations_[i].segments) continue;
    last = op.peer;
    for (const int rank : setup_.leaders->of_node(op.peer)) {
      setup_.notices->tell_size(rank, setup_.sequence, setup_.message_bytes);
    }
  }
}

void Engine::withdraw_announcements() {
  if (!setup_.notices) return;
  for_each_told([&](int peer) {
    for (const int rank : setup_.leaders->of_node(peer)) {
      setup_.notices->withdraw(rank, setup_.sequence);
    }
  });
}

void Engine::push_to_all() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    if (op.kind == OpKind::kSend && operations_[i].destinations.empty()) {
      const RankList leaders = setup_.leaders->of_node(op.peer);
      operations_[i].destinations = setup_.push_way == Push::kToOne ? leaders.first(1) : leaders;
    }
  }
}

void Engine::start_push(std::uint32_t index) {
  const PlanOp& op = setup_.plan->ops[index];
  Operation& operation = operations_[index];
  const PushHeader header{.to_all = operation.destinations.size() > 1,
                          .way = setup_.push_way,
                          .channel = op.channel,
                          .bytes = setup_.message_bytes,
                          .uneven_ns = static_cast<std::uint64_t>(setup_.uneven.count())};
  operation.taken = KeptBytes(sizeof header + op.bytes);
  std::memcpy(operation.taken.data(), &header, sizeof header);
  std::memcpy(operation.taken.data() + sizeof header, setup_.buffer + op.offset, op.bytes);
  const std::uint64_t begin = now_ns();
  send(operation.taken.data(), operation.taken.size(), index, 0);
  copies_ns_ += now_ns() - begin;
  copies_ += operation.destinations.size();
}

std::optional<std::chrono::nanoseconds> Engine::time_of_copy() const {
  if (copies_ == 0) return std::nullopt;
  return std::chrono::nanoseconds(copies_ns_ / copies_);
}

// Mostly a push ends at once, or as soon as the network has taken it, for which this process has to
// let the MPI library work. Some libraries end it when its receiver looks for it (Open MPI, in
// shared memory), which may be after the call that comes next here.
void Engine::lose_patience() {
  constexpr std::uint64_t kPatienceNs = 100'000'000;
  if (open_operations_ == 0 || !only_sends_are_left()) return;
  const std::uint64_t now = now_ns();
  if (patience_ends_ns_ == 0) patience_ends_ns_ = now + kPatienceNs;
  has_lost_patience_ = now >= patience_ends_ns_;
}

bool Engine::only_sends_are_left() const {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Operation& operation = operations_[i];
    if (operation.completed == operation.segments) continue;
    if (setup_.plan->ops[i].kind != OpKind::kSend || operation.started != operation.segments)
      return false;
  }
  return true;
}

void Engine::finish_pushes_in(DropList& drops) {
  std::vector<KeptBytes> messages;
  for (Operation& operation : operations_) {
    if (operation.completed == operation.segments) continue;
    messages.push_back(std::move(operation.taken));
    operation.completed = operation.segments;
  }
  drops.finish(std::move(messages), std::move(requests_));
  requests_.clear();
  flights_.clear();
  open_operations_ = 0;
}

// One receive for each of the plan's, but those that have landed before.
void Engine::post_landings() {
  std::size_t receives = 0;
  for (const PlanOp& op : setup_.plan->ops) receives += op.kind != OpKind::kSend;
  const std::uint64_t room =
      sizeof(PushHeader) + std::max(setup_.longest_push_bytes, setup_.capacity);
  for (std::size_t i = taken_over_.pushed.size(); i < receives; ++i) {
    KeptBytes& landing = landings_.emplace_back(room);
    MPI_Request request;
    check_mpi(PMPI_Irecv(landing.data(), static_cast<int>(room), MPI_BYTE, MPI_ANY_SOURCE,
                         message_tag(setup_.sequence, MessageKind::kPush), setup_.comm, &request),
              "receiving from a node");
    requests_.push_back(request);
    flights_.push_back({kNone, static_cast<std::uint32_t>(landings_.size() - 1)});
  }
}

// A pushed message says itself what it is.
void Engine::land(KeptBytes message) {
  const PushHeader header = header_of(message);
  if (header.bytes != setup_.message_bytes) {
    true_bytes_ = header.bytes;
    carried_.is_sure = true;
    carried_.pushed.push_back(std::move(message));
    return;
  }
  if (setup_.others_uneven) setup_.others_uneven(std::chrono::nanoseconds(header.uneven_ns));
  setup_.push_way = header.way;
  if (header.way == Push::kFromRoot) {
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (setup_.plan->ops[i].kind == OpKind::kSend) pass_by(i);
    }
  } else {
    push_to_all();
  }
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    if (op.kind == OpKind::kSend || op.channel != header.channel) continue;
    if (operations_[i].completed != 0) continue;
    operations_[i].taken = std::move(message);
    operations_[i].pending[0] = 0;
    copied_receives_ += header.to_all ? 1 : 0;
    complete_segments(i);
    return;
  }
}

void Engine::take_pushed(std::uint32_t index) {
  const PlanOp& op = setup_.plan->ops[index];
  std::memcpy(setup_.buffer + op.offset, operations_[index].taken.data() + sizeof(PushHeader),
              op.bytes);
  if (setup_.arrived) setup_.arrived(op.offset, op.bytes);
}

void expect_announcements(DropList& drops, const Plan& plan, std::uint64_t sequence) {
  int announcing = 0;
  for_each_peer(plan, true, [&](int) { ++announcing; });
  drops.expect(message_tag(sequence, MessageKind::kAnnouncement), sizeof(Announcement), announcing);
}

void expect_copies(DropList& drops, std::uint64_t sequence, std::uint64_t copied_receives,
                   std::uint64_t longest_push_bytes) {
  drops.expect(message_tag(sequence, MessageKind::kPush), sizeof(PushHeader) + longest_push_bytes,
               static_cast<int>(copied_receives));
}

}  // namespace mpiactor::inter
