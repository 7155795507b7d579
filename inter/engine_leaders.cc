// How an engine finds the ranks that lead other nodes, and they it: announcements, and short
// messages that are pushed to all who may lead.
#include <chrono>
#include <cinttypes>
#include <cstring>

#include "inter/assertion.h"
#include "inter/engine.h"

namespace mpiactor::inter {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

// Which of the plan's receives operation `index` is.
std::uint32_t receive_number(const Plan& plan, std::uint32_t index) {
  std::uint32_t number = 0;
  for (std::uint32_t i = 0; i < index; ++i) number += plan.ops[i].kind != OpKind::kSend;
  return number;
}

}  // namespace

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

bool Engine::is_push_due() const {
  return introductions_.awaited() == 0 || now_ns() > push_deadline_ns_;
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

void Engine::start_push(std::uint32_t index) {
  const PlanOp& op = setup_.plan->ops[index];
  Operation& operation = operations_[index];
  if (op.kind != OpKind::kSend) {
    // The message may be longer than this node believes: there is room for all of it.
    operation.taken = KeptBytes(sizeof(PushHeader) + setup_.capacity - op.offset);
    receive(operation.taken.data(), operation.taken.size(), index, 0);
    return;
  }
  // It is passed on as it came, also where this node believed in another size.
  const bool as_believed = received_bytes_ == setup_.message_bytes;
  const std::uint64_t bytes = (as_believed ? op.end() : received_bytes_) - op.offset;
  const PushHeader header{operation.destinations.size() > 1};
  operation.taken = KeptBytes(sizeof header + bytes);
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
