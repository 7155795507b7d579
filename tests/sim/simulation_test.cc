// Times computed by hand on the round machine of plans.h: 5 us for 1,000 bytes over one link, of
// which the processor takes 0.5 and the link 1.
#include "sim/simulation.h"

#include <gtest/gtest.h>

#include "tests/sim/plans.h"

namespace mpiactor::sim {
namespace {

using inter::Plan;
using inter::Shape;

SimulationResult play_messages(const Machine& machine, const Shape& shape,
                               const std::vector<Message>& messages,
                               std::vector<Picoseconds> arrivals = {}) {
  return play(
      machine, shape, [&](int node) { return independent_messages(messages, node); }, arrivals);
}

TEST(Simulation, TwoNodes) {
  const SimulationResult result = play_messages(round_machine(), Shape::line(2), {{0, 1, 1000}});
  EXPECT_EQ(result.end, 5 * kUs);
  EXPECT_EQ(result.transfers, 1u);
  EXPECT_EQ(result.links.used, 1u);
  EXPECT_EQ(result.links.total_bytes, 1000u);
  EXPECT_DOUBLE_EQ(result.links.peak_utilization, 0.2);
}

TEST(Simulation, StartupDelaysEveryNodeOnce) {
  Machine machine = round_machine();
  machine.startup_ps = 7 * kUs;
  const SimulationResult result =
      play(machine, Shape::line(4), [](int node) { return chain_plan(4, 1000, node); });
  EXPECT_EQ(result.end, (7 + 3 * 5) * kUs);
}

TEST(Simulation, LastSegmentIsShorter) {
  const SimulationResult result = play_messages(round_machine(), Shape::line(2), {{0, 1, 1500}});
  EXPECT_EQ(result.transfers, 2u);
  EXPECT_EQ(result.end, 5 * kUs + 4 * kUs + kUs / 2);
}

TEST(Simulation, ChainWithWindowOneExposesLatency) {
  const SimulationResult result =
      play(round_machine(), Shape::line(4), [](int node) { return chain_plan(4, 10'000, node); });
  // A segment every 5 us, and two more links for the last.
  EXPECT_EQ(result.end, (10 * 5 + 2 * 5) * kUs);
  EXPECT_EQ(result.transfers, 30u);
  EXPECT_EQ(result.node_ends[1], 55 * kUs);
  EXPECT_EQ(result.node_ends[0], 50 * kUs);
}

TEST(Simulation, ChainWithWindowTwoHalvesIt) {
  Machine machine = round_machine();
  machine.window = 2;
  const SimulationResult result =
      play(machine, Shape::line(4), [](int node) { return chain_plan(4, 10'000, node); });
  // Two segments every 5 us, 1 us apart on the link: the tenth arrives at 4 * 5 + 6.
  EXPECT_EQ(result.node_ends[0], 26 * kUs);
  EXPECT_EQ(result.end, 36 * kUs);
}

TEST(Simulation, ChainWithWideWindowIsBoundByTheLink) {
  Machine machine = round_machine();
  machine.window = 8;
  const SimulationResult result =
      play(machine, Shape::line(4), [](int node) { return chain_plan(4, 10'000, node); });
  EXPECT_EQ(result.end, (3 * 5 + 9) * kUs);
}

// The six neighbours of node 13, the middle of 3x3x3.
std::vector<Message> star(bool towards_the_middle) {
  std::vector<Message> messages;
  for (const int neighbour : {12, 14, 10, 16, 4, 22}) {
    messages.push_back(towards_the_middle ? Message{neighbour, 13, 1000}
                                          : Message{13, neighbour, 1000});
  }
  return messages;
}

const Shape kCube{{3, 3, 3}, {true, true, true}};

TEST(Simulation, StarIsBoundByTheProcessor) {
  // Six overheads of 0.5 us, then 4.5 us for the last message.
  EXPECT_EQ(play_messages(round_machine(), kCube, star(false)).end, 7 * kUs + kUs / 2);
}

TEST(Simulation, StarIsBoundByOneInterface) {
  Machine machine = round_machine();
  machine.interfaces = 1;
  EXPECT_EQ(play_messages(machine, kCube, star(false)).end, 10 * kUs);
  // Likewise where the interface receives: no processor is shared, but the interface is.
  EXPECT_EQ(play_messages(machine, kCube, star(true)).end, 10 * kUs);
  machine.interfaces = 6;
  EXPECT_EQ(play_messages(machine, kCube, star(true)).end, 5 * kUs);
}

TEST(Simulation, FourthInterfaceIsLimitedByThePath) {
  Machine machine = round_machine();
  machine.path_mbps = 3200;
  machine.segment_bytes = 16'000;
  std::vector<Message> messages = star(false);
  for (Message& message : messages) message.bytes = 16'000;
  // Three: the path needs 5 us for each, less than their 16 us on links; the last is ready at 1.5.
  messages.resize(3);
  EXPECT_EQ(play_messages(machine, kCube, messages).end, 21 * kUs);
  // The fourth has been through the path at 0.5 + 4 * 5 us, later than its link would need.
  messages.push_back({13, 16, 16'000});
  EXPECT_EQ(play_messages(machine, kCube, messages).end, 24 * kUs);
}

TEST(Simulation, MessagesShareALink) {
  const Shape mesh{{3, 1, 1}, {false, true, true}};
  const SimulationResult result =
      play_messages(round_machine(), mesh, {{0, 2, 1000}, {1, 2, 1000}});
  EXPECT_EQ(result.node_ends[0], 6 * kUs);
  // Its only link is taken from 1.5 to 2.5 us.
  EXPECT_EQ(result.node_ends[1], 7 * kUs);
  EXPECT_EQ(result.links.most_bytes, 2000u);
  EXPECT_EQ(result.links.total_bytes, 3000u);
}

TEST(Simulation, MeshHasNoShortWayRound) {
  const Shape torus = Shape::line(5);
  const Shape mesh{{5, 1, 1}, {false, true, true}};
  EXPECT_EQ(play_messages(round_machine(), torus, {{0, 4, 1000}}).end, 5 * kUs);
  EXPECT_EQ(play_messages(round_machine(), mesh, {{0, 4, 1000}}).end, 8 * kUs);
}

TEST(Simulation, SwitchHasTwoHops) {
  Machine machine = round_machine();
  machine.network = NetworkKind::kSwitch;
  EXPECT_EQ(play_messages(machine, Shape::line(9), {{0, 4, 1000}}).end, 6 * kUs);
  // Two senders, one receiver: its link is shared, whichever interface takes it.
  EXPECT_EQ(play_messages(machine, Shape::line(9), {{0, 4, 1000}, {1, 4, 1000}}).end, 7 * kUs);
}

TEST(Simulation, LongMessagesWaitForTheReceiverAndTheRendezvous) {
  Machine machine = round_machine();
  machine.rendezvous_ps = 10 * kUs;
  const std::vector<Message> message = {{0, 1, 1000}};
  EXPECT_EQ(play_messages(machine, Shape::line(2), message).end, 15 * kUs);
  const SimulationResult late = play_messages(machine, Shape::line(2), message, {0, 20 * kUs});
  EXPECT_EQ(late.end, 35 * kUs);
  EXPECT_EQ(late.node_ends[0], 35 * kUs);
}

TEST(Simulation, RendezvousComesOncePerOperation) {
  Machine machine = round_machine();
  machine.rendezvous_ps = 10 * kUs;
  EXPECT_EQ(play_messages(machine, Shape::line(2), {{0, 1, 3000}}).end, (10 + 3 * 5) * kUs);
}

TEST(Simulation, ShortMessagesArePushed) {
  Machine machine = round_machine();
  machine.rendezvous_ps = 10 * kUs;
  machine.eager_bytes_1_hop = 1000;
  machine.eager_bytes_40_hops = 1000;
  const SimulationResult late =
      play_messages(machine, Shape::line(2), {{0, 1, 1000}}, {0, 20 * kUs});
  EXPECT_EQ(late.node_ends[0], 5 * kUs) << "the sender waits for nobody";
  EXPECT_EQ(late.node_ends[1], 20 * kUs) << "the bytes are there already";
  EXPECT_EQ(play_messages(machine, Shape::line(2), {{0, 1, 1001}}, {0, 20 * kUs}).node_ends[0],
            39 * kUs + kUs / 1000);
}

TEST(Simulation, ReductionsShareTheMemory) {
  // 1,000 bytes combine in 2 us.
  const auto plan = [](int node) {
    Plan own;
    if (node == 1) {
      for (const int child : {0, 2}) {
        inter::PlanOp op = receive_from(child, 1000);
        op.kind = inter::OpKind::kReceiveReduce;
        own.add(op);
      }
    } else {
      own.add(send_to(1, 1000));
    }
    return own;
  };
  const SimulationResult result = play(round_machine(), Shape::line(3), plan);
  EXPECT_EQ(result.node_ends[0], 5 * kUs) << "taken, though not yet combined";
  EXPECT_EQ(result.end, 9 * kUs);
}

TEST(Simulation, TwoNodesMaySwapAndReduceTheSameBytes) {
  const auto plan = [](int node) {
    Plan own;
    const std::uint32_t sent = own.add(send_to(1 - node, 3000));
    inter::PlanOp op = receive_from(1 - node, 3000);
    op.kind = inter::OpKind::kReceiveReduce;
    own.add(op, {sent});
    return own;
  };
  // Each own segment is with the other when the other's is here: nothing is held back.
  EXPECT_EQ(play(round_machine(), Shape::line(2), plan).end, (3 * 5 + 2) * kUs);
}

TEST(Simulation, OperationsOnOneChannelMatchInPlanOrder) {
  // The second send is short and waits for nothing, and yet comes second.
  const auto plan = [](int node) {
    Plan own;
    if (node == 0) {
      own.add(send_to(1, 2000, 5, 1000));
      own.add(send_to(1, 1000, 5));
    }
    if (node == 1) {
      own.add(receive_from(0, 2000, 5, 1000));
      const std::uint32_t second = own.add(receive_from(0, 1000, 5));
      own.add(send_to(2, 1000), {second});
    }
    if (node == 2) own.add(receive_from(1, 1000));
    return own;
  };
  const SimulationResult result = play(round_machine(), Shape::line(3), plan);
  // The last segment of the first goes at 5 us, and the second right after it: its processor is
  // ready at 6, its link at 6.5.
  EXPECT_EQ(result.node_ends[0], 11 * kUs);
  EXPECT_EQ(result.node_ends[2], 16 * kUs);
}

TEST(Simulation, SegmentWaitsOnlyForTheRangesThatCoverIt) {
  // Node 1 hands on 3,000 bytes: the first 1,000 come from node 0, the rest from node 2, late.
  const auto plan = [](int node) {
    Plan own;
    if (node == 0) own.add(send_to(1, 1000));
    if (node == 2) own.add(send_to(1, 2000, 0, 1000));
    if (node == 3) own.add(receive_from(1, 3000));
    if (node == 1) {
      const std::uint32_t first = own.add(receive_from(0, 1000));
      const std::uint32_t rest = own.add(receive_from(2, 2000, 0, 1000));
      own.add(send_to(3, 3000), {first, rest});
    }
    return own;
  };
  Machine machine = round_machine();
  machine.network = NetworkKind::kSwitch;  // 6 us a message
  const SimulationResult early = play(machine, Shape::line(4), plan);
  EXPECT_EQ(early.node_ends[0], 6 * kUs);
  EXPECT_EQ(early.node_ends[3], (6 + 3 * 6) * kUs);
  const SimulationResult late = play(machine, Shape::line(4), plan, {0, 0, 100 * kUs, 0});
  EXPECT_EQ(late.node_ends[3], (100 + 6 + 2 * 6) * kUs);
}

TEST(Simulation, WaitWithoutCommonBytesIsAPureOrdering) {
  // Node 1 may send its own bytes only when all 3,000 others are there.
  const auto plan = [](int node) {
    Plan own;
    if (node == 0) own.add(send_to(1, 3000));
    if (node == 2) own.add(receive_from(1, 1000, 0, 5000));
    if (node == 1) {
      const std::uint32_t before = own.add(receive_from(0, 3000));
      own.add(send_to(2, 1000, 0, 5000), {before});
    }
    return own;
  };
  EXPECT_EQ(play(round_machine(), Shape::line(3), plan).node_ends[2], (3 * 5 + 5) * kUs);
}

TEST(Simulation, ReceiveThatWaitsHoldsItsSenderBack) {
  // Node 1 takes node 2's bytes only after node 0's, although node 2 is ready at once.
  const auto plan = [](int node) {
    Plan own;
    if (node == 0) own.add(send_to(1, 2000));
    if (node == 2) own.add(send_to(1, 2000));
    if (node == 1) {
      const std::uint32_t first = own.add(receive_from(0, 2000));
      own.add(receive_from(2, 2000), {first});
    }
    return own;
  };
  const SimulationResult result = play(round_machine(), Shape::line(3), plan);
  EXPECT_EQ(result.node_ends[0], 10 * kUs);
  EXPECT_EQ(result.end, 15 * kUs) << "segment by segment, since the ranges cover each other";
}

TEST(Simulation, FollowersCopyAsSegmentsCome) {
  const Machine machine = round_machine();
  SimulationInput input;
  input.machine = &machine;
  input.shape = Shape::line(2);
  input.segment_bytes = 1000;
  input.make_plan = [](int node) { return chain_plan(2, 3000, node); };
  std::vector<double> copying = {0, 500};
  input.copy_ps_per_byte = copying;
  EXPECT_EQ(simulate(input).copies_ends[1], 15 * kUs + kUs / 2) << "only the last copy is exposed";
  copying[1] = 10'000;
  EXPECT_EQ(simulate(input).copies_ends[1], 5 * kUs + 30 * kUs) << "slow copies queue";
}

TEST(Simulation, SendsMayBeginAfterReceives) {
  const Machine machine = round_machine();
  const std::vector<Picoseconds> sends = {0, 50 * kUs};
  SimulationInput input;
  input.machine = &machine;
  input.shape = Shape::line(2);
  input.segment_bytes = 1000;
  input.make_plan = [](int node) {
    Plan plan;
    plan.add(receive_from(1 - node, 1000));
    plan.add(send_to(1 - node, 1000));
    return plan;
  };
  input.send_arrivals = sends;
  const SimulationResult result = simulate(input);
  EXPECT_EQ(result.receive_ends, (std::vector<Picoseconds>{55 * kUs, 5 * kUs}));
  EXPECT_EQ(result.node_ends, (std::vector<Picoseconds>{55 * kUs, 55 * kUs}));
}

// Errors name the nodes.
void expect_plan_error(std::function<Plan(int)> plan, const std::string& text) {
  try {
    play(round_machine(), Shape::line(3), std::move(plan));
    FAIL() << "no error; expected: " << text;
  } catch (const PlanError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(SimulationErrors, PlansThatDoNotFit) {
  const auto only_node_0 = [](const inter::PlanOp& op) {
    return [op](int node) {
      Plan plan;
      if (node == 0) plan.add(op);
      return plan;
    };
  };
  expect_plan_error(only_node_0(send_to(1, 10)), "send of node 0 to node 1, channel 0");
  expect_plan_error(only_node_0(send_to(3, 10)), "plan of node 0, operation 0: peer is 3");
  expect_plan_error(only_node_0(send_to(0, 10)), "peer is 0");
  expect_plan_error(only_node_0(send_to(1, 10, inter::kMaxChannels)), "channel is 1024");
  expect_plan_error(only_node_0(receive_from(2, 10)),
                    "node 0, operation 0 (receive from node 2, bytes 0 to 10) has finished 0 of 1");
}

TEST(SimulationErrors, RangesThatDiffer) {
  expect_plan_error(
      [](int node) {
        Plan plan;
        if (node == 0) plan.add(send_to(1, 10));
        if (node == 1) plan.add(receive_from(0, 11));
        return plan;
      },
      "the receive is for bytes 0 to 11");
}

TEST(SimulationErrors, CircleOfWaits) {
  expect_plan_error(
      [](int node) {
        Plan plan;
        if (node == 2) return plan;
        const std::uint32_t received = plan.add(receive_from(1 - node, 10));
        plan.add(send_to(1 - node, 10), {received});
        return plan;
      },
      "the plans do not end: node 0");
}

TEST(SimulationErrors, MoreReceivesThanSendsOnAChannel) {
  expect_plan_error(
      [](int node) {
        Plan plan;
        if (node == 0) plan.add(send_to(1, 10));
        if (node == 1) {
          plan.add(receive_from(0, 10));
          plan.add(receive_from(0, 20));
        }
        return plan;
      },
      "the plans do not end: node 1, operation 1 (receive from node 0, bytes 0 to 20)");
}

SimulationResult play_on_places(const Machine& machine, std::vector<std::uint32_t> places,
                                const std::vector<Message>& messages) {
  SimulationInput input;
  input.machine = &machine;
  input.shape = inter::Shape::line(static_cast<int>(places.size()));
  input.physical = inter::Shape::line(2);
  input.places = std::move(places);
  input.segment_bytes = 1 << 20;
  input.window = 1;
  input.make_plan = [&](int node) { return independent_messages(messages, node); };
  return simulate(input);
}

// Two ranks on each of two places: 0 and 1, 2 and 3.
TEST(SharedPlaces, RanksOfOnePlaceTalkThroughItsMemory) {
  Machine machine = round_machine();
  machine.rendezvous_ps = 9 * kUs;
  // Overhead, 4,000 bytes at 2,000 MB/s, overhead; no handshake.
  EXPECT_EQ(play_on_places(machine, {0, 0, 1, 1}, {{0, 1, 4000}}).node_ends[1], 3 * kUs);
  // Two pairs share the 2,000 MB/s of their place, but not with the other place.
  const SimulationResult two =
      play_on_places(machine, {0, 0, 1, 1}, {{0, 1, 4000}, {1, 0, 4000}, {2, 3, 4000}});
  EXPECT_EQ(two.node_ends[1], 5 * kUs);
  EXPECT_EQ(two.node_ends[3], 3 * kUs);
  EXPECT_EQ(two.links.used, 0u);
}

TEST(SharedPlaces, RanksOfOnePlaceShareItsLink) {
  for (const NetworkKind kind : {NetworkKind::kTorus, NetworkKind::kSwitch}) {
    Machine machine = round_machine();
    machine.network = kind;
    machine.interfaces = 1;
    const auto last = [&](const std::vector<Message>& messages) {
      return play_on_places(machine, {0, 0, 1, 1}, messages).end;
    };
    const Picoseconds alone = last({{0, 2, 10'000}});
    EXPECT_EQ(last({{0, 2, 10'000}, {1, 3, 10'000}}), alone + 10 * kUs);
    EXPECT_EQ(last({{0, 2, 10'000}, {3, 1, 10'000}}), alone) << "both directions at once";
  }
}

}  // namespace
}  // namespace mpiactor::sim
