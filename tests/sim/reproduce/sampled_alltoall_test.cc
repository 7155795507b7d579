#include "sim/reproduce/sampled_alltoall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/arguments.h"
#include "sim/machine.h"
#include "sim/simulation.h"

namespace mpiactor::sim {
namespace {

constexpr std::uint64_t kBlock = 1000;
constexpr const char* kNames[] = {"linear", "pairwise", "doublespread"};

const inter::Algorithm& alltoall(const char* name) {
  return *inter::find_algorithm(inter::Collective::kAlltoall, name);
}

// Kind, peer and channel of every operation, and the peers' operations that it waits for.
std::vector<std::string> steps_of(const inter::Plan& plan) {
  const auto step = [&](std::uint32_t k) {
    const inter::PlanOp& op = plan.ops[k];
    return (op.kind == inter::OpKind::kSend ? ">" : "<") + std::to_string(op.peer);
  };
  std::vector<std::string> steps;
  for (std::uint32_t k = 0; k < plan.ops.size(); ++k) {
    const inter::PlanOp& op = plan.ops[k];
    std::string text = step(k) + "," + std::to_string(op.channel);
    for (const std::uint32_t wait : plan.waits_of(op)) text += " " + step(wait);
    steps.push_back(text);
  }
  return steps;
}

TEST(SampledAlltoall, IsTheWholeOneWhereEveryRoundIsPlayed) {
  for (const char* name : kNames) {
    for (const char* shape_text : {"7", "6x4", "4x3x5"}) {
      const inter::Shape shape = parse_shape(shape_text);
      const SampledAlltoall sample(alltoall(name), shape, kBlock, 1);
      EXPECT_EQ(sample.rounds(), static_cast<std::size_t>(shape.nodes() - 1));
      EXPECT_EQ(sample.rounds_per_round(), 1.0);
      inter::PlanInput input;
      input.shape = shape;
      input.bytes = kBlock * static_cast<std::uint64_t>(shape.nodes() * shape.nodes());
      for (input.node = 0; input.node < shape.nodes(); ++input.node) {
        EXPECT_EQ(steps_of(sample.plan_of(input.node)), steps_of(alltoall(name).make_plan(input)))
            << name << " " << shape_text << " " << input.node;
      }
    }
  }
}

// Every rank sends as many blocks as it takes, and takes just what is sent to it.
TEST(SampledAlltoall, PlaysOneRoundInSome) {
  const inter::Shape shape = parse_shape("4x3x5");
  for (const char* name : kNames) {
    const SampledAlltoall sample(alltoall(name), shape, kBlock, 5);
    EXPECT_GE(sample.rounds(), 10u) << name;
    EXPECT_LE(sample.rounds(), 14u) << name;
    EXPECT_DOUBLE_EQ(sample.rounds_per_round(), 59.0 / static_cast<double>(sample.rounds()));
    std::multiset<std::pair<int, int>> sent;
    std::multiset<std::pair<int, int>> taken;
    for (int rank = 0; rank < shape.nodes(); ++rank) {
      const inter::Plan plan = sample.plan_of(rank);
      EXPECT_EQ(plan.ops.size(), 2 * sample.rounds());
      for (const inter::PlanOp& op : plan.ops) {
        EXPECT_EQ(op.bytes, kBlock);
        if (op.kind == inter::OpKind::kSend) sent.emplace(rank, op.peer);
        if (op.kind == inter::OpKind::kReceive) taken.emplace(op.peer, rank);
      }
    }
    EXPECT_EQ(sent, taken) << name;
  }
}

TEST(SampledAlltoall, HasEachDistanceWithItsOpposite) {
  const inter::Shape shape = parse_shape("8x6");
  const SampledAlltoall sample(alltoall("doublespread"), shape, kBlock, 4);
  std::map<std::pair<int, int>, int> offsets;
  for (const inter::PlanOp& op : sample.plan_of(0).ops) {
    if (op.kind == inter::OpKind::kSend) ++offsets[{op.peer % 8, op.peer / 8}];
  }
  for (const auto& [offset, count] : offsets) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(offsets.contains({(8 - offset.first) % 8, (6 - offset.second) % 6}));
  }
}

// A sample of half of the rounds takes about half as long.
TEST(SampledAlltoall, TakesAsManyRoundsTime) {
  const Machine machine = load_machine("fugaku");
  SimulationInput input;
  input.machine = &machine;
  input.shape = parse_shape("6x4x4");
  input.segment_bytes = 65536;
  for (const char* name : {"pairwise", "doublespread"}) {
    const SampledAlltoall whole(alltoall(name), input.shape, input.segment_bytes, 1);
    const SampledAlltoall half(alltoall(name), input.shape, input.segment_bytes, 2);
    input.make_plan = [&](int rank) { return whole.plan_of(rank); };
    const auto all = static_cast<double>(simulate(input).end);
    input.make_plan = [&](int rank) { return half.plan_of(rank); };
    const auto of_half = static_cast<double>(simulate(input).end);
    EXPECT_NEAR(of_half * half.rounds_per_round() / all, 1, 0.15) << name;
  }
}

TEST(SampledAlltoall, RefusesWhatItCannotSample) {
  const auto refusal = [](const inter::Algorithm& algorithm, const char* shape, int every) {
    try {
      SampledAlltoall(algorithm, parse_shape(shape), kBlock, every);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(alltoall("bruck"), "8", 2),
            "algorithm bruck cannot be sampled; allowed: linear, pairwise, doublespread of "
            "alltoall");
  EXPECT_EQ(refusal(*inter::find_algorithm(inter::Collective::kBcast, "linear"), "8", 2),
            "algorithm linear cannot be sampled; allowed: linear, pairwise, doublespread of "
            "alltoall");
  EXPECT_EQ(refusal(alltoall("linear"), "1", 2), "an alltoall of one rank; allowed: at least 2");
  EXPECT_EQ(refusal(alltoall("linear"), "8", 0),
            "one round in 0 is to be played; allowed: at least 1");
}

}  // namespace
}  // namespace mpiactor::sim
