// How nodes get past one that is late: who has the message and waits for it offers itself to the
// nodes below, who waits there asks it, and is served (served_nodes.h).
//
// Offers and asks do no harm: they are notices, beside the request's messages, and there are none
// where nobody is late, or the root alone. A node is adopted only from below a child of the plan
// that nobody here has heard of. With that child's first segment goes the list of those adopted, if
// any: then an empty message takes the segment's place, and its bytes come in another one, behind
// the list.
#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "inter/assertion.h"
#include "inter/engine.h"

namespace mpiactor::inter {
namespace {

// The node that sends to the one with `plan` down this tree; -1: it is the root's.
int sender_to(const Plan& plan, int channel) {
  for (const PlanOp& op : plan.ops) {
    if (op.kind == OpKind::kReceive && op.channel == channel) return op.peer;
  }
  return -1;
}

}  // namespace

int trees_of(const Plan& plan) {
  std::set<int> received;
  std::set<int> sent;
  for (const PlanOp& op : plan.ops) {
    (op.kind == OpKind::kSend ? sent : received).insert(op.channel);
  }
  return static_cast<int>(received.empty() ? sent.size() : received.size());
}

// What goes with the first segment; false where it cannot be said yet.
bool Engine::look_up_list(const PlanOp& op) {
  list_.count = 0;
  if (!setup_.served) return true;
  const std::optional<AdoptedList> adopted = setup_.served->adopted();
  if (!adopted) return false;
  for (const Adopted& one : adopted->all()) {
    if (one.channel == op.channel) list_.nodes[list_.count++] = one;
  }
  return true;
}

void Engine::send_listed(std::uint32_t index) {
  Operation& operation = operations_[index];
  const PlanOp& op = setup_.plan->ops[index];
  const std::uint64_t bytes = segment_end(op, 0) - op.offset;
  operation.listed = KeptBytes(sizeof list_ + bytes);
  std::memcpy(operation.listed.data(), &list_, sizeof list_);
  std::memcpy(operation.listed.data() + sizeof list_, setup_.buffer + op.offset, bytes);
  send(setup_.buffer, 0, index, 0);
  MPI_Request request;
  check_mpi(PMPI_Isend(operation.listed.data(), static_cast<int>(operation.listed.size()), MPI_BYTE,
                       ranks_.to(operation.destinations.front()),
                       message_tag(setup_.sequence, MessageKind::kAdopted, op.channel), setup_.comm,
                       &request),
            "sending to a node");
  requests_.push_back(request);
  flights_.push_back({index, 0});
  ++operation.pending[0];
}

// Whether an empty first segment has come, whose bytes come with a list.
bool Engine::receives_listed(const Flight& flight, const MPI_Status& status) {
  if (flight.operation >= operations_.size() || flight.segment != 0) return false;
  const PlanOp& op = setup_.plan->ops[flight.operation];
  if (op.kind != OpKind::kReceive) return false;
  int count = 0;
  PMPI_Get_count(&status, MPI_BYTE, &count);
  if (count != 0) return false;
  KeptBytes& listed = operations_[flight.operation].listed;
  listed = KeptBytes(sizeof list_ + segment_end(op, 0) - op.offset);
  MPI_Request request;
  check_mpi(PMPI_Irecv(listed.data(), static_cast<int>(listed.size()), MPI_BYTE, MPI_ANY_SOURCE,
                       message_tag(setup_.sequence, MessageKind::kAdopted, op.channel), setup_.comm,
                       &request),
            "receiving from a node");
  requests_.push_back(request);
  flights_.push_back({kList, flight.operation});
  return true;
}

// Nodes in the list are served from above.
void Engine::take_list(std::uint32_t index) {
  Operation& operation = operations_[index];
  const PlanOp& received = setup_.plan->ops[index];
  AdoptedList list;
  std::memcpy(&list, operation.listed.data(), sizeof list);
  std::memcpy(setup_.buffer + received.offset, operation.listed.data() + sizeof list,
              operation.listed.size() - sizeof list);
  if (setup_.served) setup_.served->inherit(list.all());
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    if (op.kind != OpKind::kSend || !list.contains({op.peer, op.channel})) continue;
    operations_[i].destinations = {};
    pass_by(i);
  }
  finish({index, 0});
}

// Whether all that goes down this tree is here.
bool Engine::has_tree(int channel) const {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& op = setup_.plan->ops[i];
    if (op.kind == OpKind::kReceive && op.channel == channel) {
      return operations_[i].completed == operations_[i].segments;
    }
  }
  return true;
}

// Nothing has come for a while, and a node above the late one offers itself: asks it.
void Engine::take_offers() {
  for (const int node : setup_.notices->offers(setup_.sequence)) {
    if (std::find(asked_.begin(), asked_.end(), node) != asked_.end()) continue;
    asked_.push_back(node);
    for (std::size_t i = 0; i < setup_.plan->ops.size(); ++i) {
      const PlanOp& op = setup_.plan->ops[i];
      if (op.kind != OpKind::kReceive || operations_[i].completed != 0) continue;
      Ask ask{.who = {setup_.node, op.channel},
              .rank = setup_.rank,
              .offset = op.offset,
              .bytes = op.bytes};
      int above = op.peer;
      while (above >= 0 && above != node && ask.count != kMostBetween) {
        ask.between[ask.count++] = above;
        above = sender_to(setup_.plan_of(above), op.channel);
      }
      if (above != node || ask.count == 0) continue;
      for (const int rank : setup_.leaders->of_node(node)) {
        setup_.notices->ask(rank, setup_.sequence, setup_.message_bytes, ask);
      }
    }
  }
}

// Nothing has come for a while from nodes that this one sends to: offers itself to those below
// them, after a while also to those further down.
void Engine::offer_below(std::uint64_t now) {
  constexpr std::uint64_t kPauseNs = 1'000'000;
  constexpr std::size_t kMostNodes = 4 * kMostAdopted;  // of a level
  if (now < next_offer_ns_ || offered_levels_ == kMostBetween) return;
  bool is_anyone_late = false;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlanOp& late = setup_.plan->ops[i];
    if (late.kind != OpKind::kSend || !operations_[i].destinations.empty()) continue;
    if (operations_[i].completed == operations_[i].segments || !has_tree(late.channel)) continue;
    is_anyone_late = true;
    std::vector<int> level{late.peer};
    for (std::size_t depth = 0; depth <= offered_levels_ && level.size() <= kMostNodes; ++depth) {
      std::vector<int> next;
      for (const int node : level) {
        for (const PlanOp& op : setup_.plan_of(node).ops) {
          if (op.kind != OpKind::kSend || op.channel != late.channel) continue;
          next.push_back(op.peer);
          if (offered_.insert(op.peer).second) offer_to(op.peer);
        }
      }
      level = std::move(next);
    }
  }
  if (!is_anyone_late) return;
  next_offer_ns_ = now + (kPauseNs << offered_levels_);
  ++offered_levels_;
}

void Engine::offer_to(int node) {
  for (const int rank : setup_.leaders->of_node(node)) {
    setup_.notices->offer(rank, setup_.sequence, setup_.node);
  }
}

void Engine::adopt_those_who_ask() {
  if (children_.empty() || open_operations_ == 0) return;
  for (const Ask& ask : setup_.notices->asks(setup_.sequence, setup_.message_bytes)) {
    const std::span<const int> between(ask.between, static_cast<std::size_t>(ask.count));
    const std::size_t late = child(between.back());
    if (late == children_.size() || !has_tree(ask.who.channel)) continue;
    const std::size_t most = kMostAdopted / static_cast<std::size_t>(setup_.trees);
    if (setup_.served->adopt(late, ask.who, between, most)) add_send(ask);
  }
}

void Engine::add_send(const Ask& ask) {
  if (!longer_plan_) longer_plan_ = *setup_.plan;
  setup_.plan = &*longer_plan_;
  longer_plan_->add({.kind = OpKind::kSend,
                     .peer = ask.who.node,
                     .offset = ask.offset,
                     .bytes = ask.bytes,
                     .channel = ask.who.channel});
  Operation& operation = operations_.emplace_back();
  operation.segments = static_cast<std::uint32_t>((ask.bytes - 1) / setup_.segment_bytes + 1);
  operation.window = static_cast<std::uint32_t>(setup_.window);
  operation.destinations = RankList::single(ask.rank);
  ++open_operations_;
}

}  // namespace mpiactor::inter
