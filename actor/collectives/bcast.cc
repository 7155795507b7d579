#include "actor/collectives/bcast.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "actor/background/background.h"
#include "actor/between/request_leaders.h"
#include "actor/collectives/bcast_way.h"
#include "actor/collectives/claims.h"
#include "actor/collectives/one_node_bcast.h"
#include "actor/container/progress.h"
#include "actor/container/world.h"
#include "actor/node/distribution.h"
#include "actor/shm/copy.h"
#include "actor/shm/run_delay.h"
#include "actor/trace/span.h"
#include "inter/engine.h"
#include "inter/pushed.h"
#include "inter/select.h"

namespace mpiactor {
namespace {

// One call on one rank, where there are several nodes.
//
// Ranks of a wrong program may believe in different sizes. Who leads does not depend on the size.
// What else does, how a leader finds the other nodes and which plan it runs, is begun again when it
// turns out that the root's size is another one; members that follow learn it from their leader.
class Broadcast {
 public:
  using Clock = std::chrono::steady_clock;

  Broadcast(Container& container, const Message& message, int root)
      : container_(container),
        message_(message),
        root_(root),
        root_node_(container.nodes().node_of(root)),
        sequence_(container.next_sequence()),
        leaders_(container.nodes(), root, container.policy(), RootsNode::kFirst),
        way_(container, root_node_, sequence_) {
    way_.believe(message.bytes());
  }

  // Returns the bytes that the root sent.
  std::uint64_t run() {
    if (container_.drops().size() != 0) container_.drops().sweep();
    const bool leads = takes_leadership();
    if (leads) {
      trace::led();
    }
    if (container_.rank() == root_) {
      give(leads);
    } else if (leads && container_.node() == root_node_) {
      send_for_root();
    } else if (leads) {
      lead();
    } else {
      follow_leader();
    }
    container_.queue().leave(sequence_);
    container_.left_broadcast() = Clock::now();
    return way_.bytes();
  }

 private:
  bool is_first_candidate() const {
    return leaders_.of_node(container_.node()).front() == container_.rank();
  }

  bool takes_leadership() {
    // Who only begins a call may be long in coming back to it.
    const bool may_leave = container_.rank() != root_ && container_.node() == root_node_;
    if (may_leave && background::inside()) return false;
    // The message comes to the node's first candidate, which always competes.
    if (way_.is_pushed() && container_.node() != root_node_ && container_.gets_one_copy() &&
        !is_first_candidate()) {
      return false;
    }
    return leaders_.takes_leadership(container_, sequence_);
  }

  // A member that does not lead, nor is it the root.
  void follow_leader() {
    pass_copies_on();
    const std::uint64_t sent = follow(container_, sequence_, message_);
    if (sent != way_.bytes()) way_.believe(sent);
    if (way_.is_pushed()) {
      note_unevenness();
      container_.gets_one_copy() =
          container_.queue().slot(sequence_).description.push == inter::Push::kToOne;
    }
    if (!relieve_sender()) expect_leaders_messages();
  }

  // Where ranks outnumber cores, one may be late since it has waited for a core. Those that wait
  // for it have given it theirs, and lose nothing.
  static Clock::duration waited_for_core(Clock::time_point since) {
    return world()->wait.give_way ? shm::run_delay_since(since) : Clock::duration(0);
  }

  // What this member, which has got a short message, says of its node. Who has been in the call
  // before till after the message was there comes late from then on.
  void note_unevenness() {
    constexpr std::chrono::microseconds kWorthAsking(100);
    const competition::Description& description = container_.queue().slot(sequence_).description;
    const Clock::time_point due = std::max(description.short_at, container_.left_broadcast());
    Clock::duration late = came_ - due;
    if (late > kWorthAsking) late -= waited_for_core(due);
    late = std::max({Clock::duration(0), late, description.leader_came_after - came_});
    if (container_.node() == root_node_) {
      container_.copy_choice().beside_root(late);
    } else {
      container_.copy_choice().beside_leader(late);
    }
  }

  // Whether members of this node that might lead send to the nodes below, one after the other, if
  // the message lies in shared memory as a whole. Who only begins a call does not stay for others.
  bool share_sending() const {
    if (way_.is_pushed() || background::inside()) return false;
    if (!leaders_.may_lead(container_.node(), container_.rank())) return false;
    std::size_t below = 0;
    inter::for_each_peer(way_.choice().plan, true, [&](int) { ++below; });
    return below != 0 && below <= inter::kMostChildren &&
           leaders_.of_node(container_.node()).size() > 1;
  }
  // From now on this member can send to nodes that come late; those whose turn was before may go.
  void take_turn(inter::EngineSetup& setup) {
    if (!share_sending()) return;
    setup.served = &container_.queue().slot(sequence_).served;
    if (turn_ == 0) turn_ = container_.queue().arrive(sequence_, 0);
  }

  // A member that might have led, but did not: messages for the leader come to it too.
  void expect_leaders_messages() {
    if (!leaders_.may_lead(container_.node(), container_.rank())) return;
    const std::uint64_t number = container_.message_number(sequence_);
    if (!way_.is_pushed()) {
      inter::expect_announcements(container_.drops(), way_.choice().plan, number);
      container_.notices()->leave(number);
      return;
    }
    const std::uint64_t copied = container_.queue().slot(sequence_).description.copied_receives;
    if (copied > taken_copies_) {
      inter::expect_copies(container_.drops(), number, copied - taken_copies_, way_.push_limit());
    }
  }

  // The inter-node part: `buffer` holds the message (root) or takes it.
  inter::EngineSetup engine_setup(std::byte* buffer, std::uint64_t capacity) {
    inter::EngineSetup setup;
    setup.comm = container_.inter_comm();
    setup.ranks = &container_.inter_ranks();
    setup.plan = &way_.choice().plan;
    setup.leaders = &leaders_;
    setup.node = container_.node();
    setup.rank = container_.rank();
    setup.sequence = container_.message_number(sequence_);
    setup.message_bytes = way_.bytes();
    setup.buffer = buffer;
    setup.capacity = capacity;
    setup.push = way_.is_pushed();
    setup.push_way = way_.push();
    setup.longest_push_bytes = way_.push_limit();
    setup.uneven = container_.copy_choice().uneven();
    setup.others_uneven = [this](CopyChoice::Time uneven) {
      container_.copy_choice().other_node(uneven, container_.nodes().nodes());
    };
    setup.notices = container_.notices();
    if (!way_.is_pushed() && way_.choice().selection.algorithm->is_of_trees) {
      setup.trees = inter::trees_of(way_.choice().plan);
      setup.plan_of = [this](int node) { return way_.plan_of(node); };
    }
    setup.segment_bytes = way_.choice().selection.segment_bytes;
    setup.window = world()->settings.window;
    return setup;
  }

  // Another member, which came later, waits for the nodes that have not come.
  bool is_relieved(const inter::Engine& engine) {
    return turn_ != 0 && container_.queue().arrivals(sequence_) > turn_ &&
           engine.waits_for_late_nodes();
  }

  // Works until the engine and, where this member has one, the node's share are done.
  void work(inter::Engine& engine, Distribution* distribution) {
    const auto is_over = [&] {
      if (distribution && !distribution->finished()) return false;
      return engine.done() || is_relieved(engine);
    };
    work_until(is_over, [&] {
      const bool any = distribution && distribution->step();
      if (!engine.done()) {
        ++looks_;
        return engine.progress() || any;
      }
      if (!any) distribution->wait_for_room();
      return true;
    });
  }

  void pass_copies_on();
  void give(bool leads);
  void send_for_root();
  void run_engine(inter::EngineSetup setup, Distribution* distribution);
  void lead();
  bool receive(inter::Carried& carried);
  bool relieve_sender();

  Container& container_;
  const Message& message_;
  int root_;
  int root_node_;
  std::uint64_t sequence_;
  const Clock::time_point came_ = Clock::now();
  RequestLeaders leaders_;
  BcastWay way_;
  std::uint64_t turn_ = 0;  // of those that share the sending; 0: none
  std::uint64_t taken_copies_ = 0;
  std::uint64_t looks_ = 0;  // at the engine
};

// A member that does not lead, to which a pushed message may come for the one that does: it looks
// for it while it waits, whatever size it believes in.
void Broadcast::pass_copies_on() {
  if (container_.node() == root_node_ || !is_first_candidate()) return;
  const std::uint64_t number = container_.message_number(sequence_);
  shm::Waiter waiter(world()->wait);
  shm::WaitWord& published = container_.queue().slot(sequence_).published;
  for (std::uint64_t seen = published.load(); competition::sequence_of(seen) != sequence_;
       seen = published.load()) {
    const auto pushed = inter::take_pushed(container_.inter_comm(), number);
    if (pushed && inter::header_of(*pushed).to_all) {
      ++taken_copies_;
    } else if (pushed) {
      const int leader = container_.nodes().members(
          container_.node())[static_cast<std::size_t>(container_.queue().leader(sequence_))];
      inter::pass_on(*pushed, container_.inter_comm(), number, container_.inter_ranks().to(leader),
                     [&] { waiter.pause(); });
    } else if (container_.gets_one_copy()) {
      waiter.pause();
    } else {
      waiter.pause_on(published, seen);
    }
  }
}

// The root lays its message down for its node. Where another member waits already, which leads
// then, and the message stays in shared memory as a whole, it need do no more.
void Broadcast::give(bool leads) {
  container_.queue().enter(sequence_);
  Distribution distribution(container_, sequence_, way_.bytes(),
                            place_message(container_, way_.bytes()), 0);
  const bool leaves = !leads && distribution.memory() != nullptr;
  way_.choose_push(leaders_);
  container_.queue().slot(sequence_).description.push = way_.push();
  std::unique_ptr<std::byte[]> copy;
  if (way_.is_pushed()) distribution.note_time();
  std::byte* const source = offer_message(distribution, message_, copy);
  trace::first_byte();
  if (leaves) {
    while (distribution.step()) continue;
    expect_leaders_messages();
  } else {
    distribution.step();  // the own node's members need not wait for the first sends
    inter::EngineSetup setup = engine_setup(source, way_.bytes());
    if (distribution.memory()) take_turn(setup);
    run_engine(std::move(setup), &distribution);
  }
  trace::last_byte();
}

// Another member of the root's node, which came before the root.
void Broadcast::send_for_root() {
  StagedMessage staged(container_, sequence_);
  if (!staged.memory()) {  // a ring, from which the root sends
    follow_leader();
    return;
  }
  const competition::Description& description = container_.queue().slot(sequence_).description;
  if (description.bytes != way_.bytes()) way_.believe(description.bytes);
  way_.take_push(description.push);
  inter::EngineSetup setup = engine_setup(staged.memory(), way_.bytes());
  setup.there = [&] { return staged.there(); };
  take_turn(setup);
  run_engine(std::move(setup), nullptr);
  follow(container_, sequence_, message_);
  if (way_.is_pushed()) note_unevenness();
}

void Broadcast::run_engine(inter::EngineSetup setup, Distribution* distribution) {
  inter::Engine engine(std::move(setup));
  work(engine, distribution);
  if (const auto time = engine.time_of_copy()) container_.copy_choice().sent(*time);
  engine.leave(container_.drops());
}

// A member that has got the message from its leader. Where nodes below have not come it is the one
// that waits for them from now on, until another member comes. Returns false where it need not.
bool Broadcast::relieve_sender() {
  competition::Slot& slot = container_.queue().slot(sequence_);
  if (!share_sending() || slot.description.window_entries != 0) return false;
  inter::Plan sends;
  for (const inter::PlanOp& op : way_.choice().plan.ops) {
    if (op.kind == inter::OpKind::kSend) sends.add(op);
  }
  inter::EngineSetup setup =
      engine_setup(StagedMessage(container_, sequence_).memory(), way_.bytes());
  setup.plan = &sends;
  take_turn(setup);
  run_engine(std::move(setup), nullptr);
  return true;
}

void Broadcast::lead() {
  inter::Carried carried;
  if (const auto told = container_.notices()->size_of(container_.message_number(sequence_))) {
    carried.is_sure = true;
    if (*told != way_.bytes()) way_.believe(*told);
  }
  while (!receive(carried)) continue;
}

// Returns false where this rank believed in a wrong size and must begin again (way_.bytes() is
// right then).
bool Broadcast::receive(inter::Carried& carried) {
  const std::uint64_t segments =
      way_.bytes() / way_.choice().selection.segment_bytes + way_.choice().plan.ops.size() + 1;
  Distribution distribution(container_, sequence_, way_.bytes(),
                            place_message(container_, way_.bytes()), segments);
  // Where the bytes go: into shared memory, else straight to the user, else into a copy.
  std::byte* const user = message_.contiguous();
  std::byte* buffer = distribution.memory();
  const bool shared = buffer != nullptr;
  std::unique_ptr<std::byte[]> copy;
  if (!shared && user && message_.bytes() >= way_.bytes()) {
    buffer = user;
  } else if (!shared) {
    copy.reset(new std::byte[way_.bytes()]);
    buffer = copy.get();
  }

  inter::Engine* running = nullptr;
  inter::EngineSetup setup = engine_setup(buffer, way_.bytes());
  if (shared) take_turn(setup);
  setup.carried = &carried;
  setup.arrived = [&](std::uint64_t offset, std::uint64_t bytes) {
    trace::first_byte();
    trace::last_byte();
    distribution.note_copies(running->copied_receives(), running->push_way());
    if (way_.is_pushed()) {
      const Clock::time_point left = container_.left_broadcast();
      distribution.note_time(looks_ == 1 ? came_ - waited_for_core(left) : Clock::time_point());
      container_.gets_one_copy() = running->push_way() == inter::Push::kToOne;
    }
    if (shared) {
      distribution.arrived(offset, bytes);
    } else {
      distribution.offer(buffer, offset, bytes);
    }
    if (user && user != buffer && offset < message_.bytes()) {
      shm::copy_bytes(user + offset, buffer + offset, std::min(bytes, message_.bytes() - offset));
    }
  };
  inter::Engine engine(std::move(setup));
  running = &engine;
  work(engine, &distribution);
  if (engine.true_bytes()) {
    way_.believe(*engine.true_bytes());
    carried = engine.carry();
    return false;
  }
  engine.leave(container_.drops());
  if (!user) message_.unpack(buffer, way_.bytes());
  return true;
}

}  // namespace

BcastOutcome hybrid_bcast(Container& container, const Message& message, int root) {
  // Before anything that calls of different sizes would do differently.
  compare_claims(container, CallFacts::bcast(root, message.bytes()));
  const std::uint64_t bytes = message.bytes();
  if (bytes == 0) {
    container.queue().leave(container.next_sequence());
    return BcastOutcome::kDone;
  }
  const std::uint64_t sent = container.nodes().nodes() == 1
                                 ? one_node_bcast(container, message, root)
                                 : Broadcast(container, message, root).run();
  if (sent == bytes) return BcastOutcome::kDone;
  return sent > bytes ? BcastOutcome::kTruncated : BcastOutcome::kSizesDiffer;
}

bool bcast_need_not_wait(Container& container, const Message& message, int root) {
  return message.bytes() != 0 && container.nodes().nodes() == 1 &&
         one_node_bcast_need_not_wait(container, message, root);
}

}  // namespace mpiactor
