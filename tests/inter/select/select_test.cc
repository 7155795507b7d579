#include "inter/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "inter/tofu_algos/torus.h"

namespace mpiactor::inter {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    Tuning::parse(text, "table.json");
  } catch (const TuningError& error) {
    return error.what();
  }
  return "no error";
}

std::string table(const std::string& rest) {
  return R"({"format": "mpiactor-tuning-1")" + rest + "}";
}

TEST(Select, ASettingIsObeyed) {
  const Selection selection = select_bcast(Shape::line(16), 1 << 20, "ring", 8192, Tuning{});
  EXPECT_STREQ(selection.algorithm->name, "ring");
  EXPECT_EQ(selection.segment_bytes, 8192u);
  EXPECT_STREQ(selection.reason, "setting");
}

TEST(Select, FewNodesAreServedByTheRootOnASwitch) {
  const auto name = [](int nodes, NetworkKind network) {
    Tuning tuning;
    tuning.link.network = network;
    return std::string(
        select_bcast(Shape::line(nodes), 1 << 20, "auto", 0, tuning).algorithm->name);
  };
  for (int nodes = 1; nodes <= kStarNodes; ++nodes) {
    EXPECT_EQ(name(nodes, NetworkKind::kSwitch), "linear");
  }
  // On a ring it would leave links unused.
  EXPECT_NE(name(3, NetworkKind::kTorus), "linear");
  EXPECT_NE(name(4, NetworkKind::kTorus), "linear");
}

TEST(Select, ShortMessagesGoDownATreeOnASwitch) {
  const auto name = [](const char* shape, std::uint64_t bytes) {
    return std::string(
        select_bcast(parse_shape(shape), bytes, "auto", 0, Tuning{}).algorithm->name);
  };
  for (const char* shape : {"5", "32", "33", "1000"}) {
    EXPECT_EQ(name(shape, 1), "binomial");
    EXPECT_EQ(name(shape, 16 << 10), "binomial");
    EXPECT_NE(name(shape, (16 << 10) + 1), "binomial");
  }
}

TEST(Select, RootMayServeAllNodesWhereARuleChoosesATree) {
  const auto may = [](const Tuning& tuning, int nodes, const char* setting = "auto") {
    const Shape shape = Shape::line(nodes);
    return root_may_serve_all(select_bcast(shape, 1024, setting, 0, tuning), nodes);
  };
  const Tuning built_in;
  EXPECT_FALSE(may(built_in, 4)) << "it does so anyway";
  EXPECT_TRUE(may(built_in, 5));
  EXPECT_TRUE(may(built_in, 32));
  EXPECT_FALSE(may(built_in, 33));
  EXPECT_FALSE(may(built_in, 12, "binomial"));
  EXPECT_FALSE(may(built_in, 12, "linear"));
  const Tuning own = Tuning::parse(
      table(R"(, "bcast": [{"nodes": "5..", "algorithm": "binomial"}])"), "table.json");
  EXPECT_FALSE(may(own, 12));
  Tuning torus;
  torus.link.network = NetworkKind::kTorus;
  EXPECT_FALSE(may(torus, 12)) << "by the model";
}

TEST(Select, TheModelsFastestIsTaken) {
  const Tuning tuning;
  for (const char* shape_text : {"17", "64", "8x6x8", "64x6", "16x12x16", "7x1x3"}) {
    const Shape shape = parse_shape(shape_text);
    // Rules serve shorter ones on a switch.
    const std::uint64_t shortest = tuning.link.is_torus(shape) ? 1 : 32 << 10;
    for (std::uint64_t bytes = shortest; bytes <= (1u << 30); bytes *= 8) {
      const std::vector<Candidate> all = candidates(Collective::kBcast, shape, bytes, tuning.link);
      ASSERT_GE(all.size(), 10u);
      const Selection selection = select_bcast(shape, bytes, "auto", 0, tuning);
      ASSERT_STREQ(selection.reason, "model");
      EXPECT_EQ(selection.algorithm, all.front().algorithm) << shape_text << " " << bytes;
      for (const Candidate& candidate : all) {
        EXPECT_GE(candidate.time_us, all.front().time_us);
        EXPECT_GE(candidate.segment_bytes, 1u);
      }
    }
  }
}

TEST(Select, ShortMessagesAreNotCutOnASwitch) {
  for (const int nodes : {5, 8, 16, 64}) {
    const Selection selection = select_bcast(Shape::line(nodes), 8, "auto", 0, Tuning{});
    EXPECT_EQ(selection.algorithm->streams(Shape::line(nodes)), 1) << selection.algorithm->name;
  }
}

TEST(Select, PredictedTimeGrowsWithTheMessage) {
  const LinkModel link{2.0, 5000};
  const Shape shape = parse_shape("8x6x8");
  double before = 0;
  for (std::uint64_t bytes = 1; bytes <= (1u << 30); bytes *= 2) {
    const double now = candidates(Collective::kBcast, shape, bytes, link).front().time_us;
    EXPECT_GE(now, before * 0.99) << bytes;
    before = now;
  }
}

TEST(Select, LongMessagesOn3dTakeSeveralStreams) {
  const Selection selection = select_bcast(parse_shape("8x6x8"), 64u << 20, "auto", 0, Tuning{});
  EXPECT_GE(selection.algorithm->full_streams, 3) << selection.algorithm->name;
}

// On few nodes of a cluster; the model decides where experience says nothing.
TEST(Select, OtherCollectivesOnFewNodes) {
  const Tuning tuning;
  const auto chosen = [&](Collective collective, int nodes, std::uint64_t bytes) {
    return std::string(
        select(collective, Shape::line(nodes), bytes, "auto", 0, tuning).algorithm->name);
  };
  for (const int nodes : {4, 8}) {
    EXPECT_EQ(chosen(Collective::kAllreduce, nodes, 8), "recdoubling");
    EXPECT_EQ(chosen(Collective::kAllreduce, nodes, 16 << 10), "recdoubling");
    EXPECT_EQ(chosen(Collective::kAllreduce, nodes, 128 << 10), "rabenseifner");
    EXPECT_EQ(chosen(Collective::kAllreduce, nodes, 1 << 20), "ring");
    EXPECT_EQ(chosen(Collective::kReduce, nodes, 8), "binomial");
    EXPECT_EQ(chosen(Collective::kAllgather, nodes, 1 << 10), "bruck");
    EXPECT_EQ(chosen(Collective::kAllgather, nodes, 1 << 20), "ring");
    EXPECT_EQ(chosen(Collective::kAlltoall, nodes, 1 << 10), "linear");
    EXPECT_EQ(chosen(Collective::kAlltoall, nodes, 1 << 20), "pairwise");
  }
  // A ring's long blocks are cut, so that sending and combining overlap.
  const Selection cut = select(Collective::kAllreduce, Shape::line(24), 4 << 20, "ring", 0, tuning);
  EXPECT_LT(cut.segment_bytes, (4u << 20) / 24);
  EXPECT_GE(cut.segment_bytes, 16u << 10);
  // Folding three nodes twice costs more than the ring's rounds.
  EXPECT_EQ(chosen(Collective::kAllreduce, 7, 64 << 20), "ring");
  EXPECT_STREQ(select(Collective::kAllreduce, Shape::line(4), 8, "ring", 0, tuning).reason,
               "setting");
}

TEST(Select, OtherCollectivesOnATorusTakeSeveralLinks) {
  Tuning tuning;
  const Shape torus = parse_shape("8x6x8");
  const auto chosen = [&](Collective collective, std::uint64_t bytes) {
    return std::string(select(collective, torus, bytes, "auto", 0, tuning).algorithm->name);
  };
  EXPECT_EQ(chosen(Collective::kAllgather, 1 << 20), "multiring3d");
  EXPECT_EQ(chosen(Collective::kAlltoall, 64 << 10), "doublespread");
  EXPECT_EQ(chosen(Collective::kAllreduce, 1 << 10), "swingshort");
  EXPECT_EQ(chosen(Collective::kAllreduce, 256 << 10), "swing");
  EXPECT_EQ(chosen(Collective::kReduce, 256 << 10), "bine");
}

// And the broadcasts over Bine trees for who asks for them.
TEST(Select, SwingAndBineAreForTori) {
  for (const char* text : {"16", "64", "8x6x8"}) {
    const Shape shape = parse_shape(text);
    Tuning on_a_switch;
    on_a_switch.link.network = NetworkKind::kSwitch;
    Tuning on_a_torus;
    on_a_torus.link.network = NetworkKind::kTorus;
    for (std::uint64_t bytes = 1; bytes <= (1u << 30); bytes *= 4) {
      const std::string on_torus =
          select_bcast(shape, bytes, "auto", 0, on_a_torus).algorithm->name;
      EXPECT_FALSE(on_torus.starts_with("bine")) << text << bytes;
      for (Collective collective :
           {Collective::kBcast, Collective::kReduce, Collective::kAllreduce}) {
        const std::string name =
            select(collective, shape, bytes, "auto", 0, on_a_switch).algorithm->name;
        EXPECT_FALSE(name.starts_with("swing") || name.starts_with("bine"))
            << name << text << bytes;
      }
    }
  }
}

// No call of a collective waits for its choice, however many nodes there are.
TEST(Select, ChoosingIsQuickOnTheWholeMachine) {
  Tuning tuning;
  tuning.link.network = NetworkKind::kTorus;
  const Shape shape = parse_shape("48x36x48");
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kCalls = 20;
  for (int call = 0; call < kCalls; ++call) {
    for (const Collective collective : {Collective::kBcast, Collective::kAllreduce}) {
      select(collective, shape, std::uint64_t{1} << call, "auto", 0, tuning);
    }
  }
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  RecordProperty("us_per_call", std::to_string(taken.count() / kCalls));
  EXPECT_LT(taken.count() / kCalls, 10'000);  // some tens of us on a quiet core
}

TEST(Tuning, RulesOfOtherCollectives) {
  const Tuning tuning = Tuning::parse(table(R"(, "link": {"reduce_mbps": 9000, "network": "torus"},
               "allreduce": [{"nodes": 8, "algorithm": "trinaryx3", "segment": "32K"}])"),
                                      "table.json");
  EXPECT_DOUBLE_EQ(tuning.link.reduce_mbps, 9000);
  EXPECT_EQ(tuning.link.network, NetworkKind::kTorus);
  const Selection own = select(Collective::kAllreduce, Shape::line(8), 100, "auto", 0, tuning);
  EXPECT_STREQ(own.algorithm->name, "trinaryx3");
  EXPECT_EQ(own.segment_bytes, 32768u);
  EXPECT_STREQ(own.reason, "tuning table");
  EXPECT_STREQ(select(Collective::kReduce, Shape::line(8), 100, "auto", 0, tuning).reason, "model");
  EXPECT_THAT(error_of(table(R"(, "link": {"network": "mesh"})")),
              HasSubstr("link.network: \"mesh\" is unknown; allowed: switch, torus"));
  EXPECT_THAT(error_of(table(R"(, "allgather": [{"algorithm": "trinaryx3"}])")),
              HasSubstr("allgather[0].algorithm: 'trinaryx3' is unknown; allowed: library"));
}

TEST(Tuning, TheFirstRuleThatFitsIsUsed) {
  const Tuning tuning =
      Tuning::parse(table(R"(, "link": {"latency_us": 1.5, "bandwidth_mbps": 6340},
               "bcast": [{"nodes": "2..8", "up_to": "64K", "algorithm": "chain", "segment": "16K"},
                         {"shape": "8x6x8", "up_to": 1048576, "algorithm": "trinaryx3"},
                         {"nodes": "384", "algorithm": "ring"}])"),
                    "table.json");
  EXPECT_DOUBLE_EQ(tuning.link.latency_us, 1.5);
  EXPECT_DOUBLE_EQ(tuning.link.bandwidth_mbps, 6340);
  const Selection small = select_bcast(Shape::line(8), 65536, "auto", 0, tuning);
  EXPECT_STREQ(small.algorithm->name, "chain");
  EXPECT_EQ(small.segment_bytes, 16384u);
  EXPECT_STREQ(small.reason, "tuning table");
  EXPECT_STREQ(select_bcast(Shape::line(8), 65537, "auto", 0, tuning).reason, "model");
  const Shape torus = parse_shape("8x6x8");
  EXPECT_STREQ(select_bcast(torus, 1 << 20, "auto", 0, tuning).algorithm->name, "trinaryx3");
  EXPECT_GE(select_bcast(torus, 1 << 20, "auto", 0, tuning).segment_bytes, 1024u);
  EXPECT_STREQ(select_bcast(torus, 2 << 20, "auto", 0, tuning).algorithm->name, "ring");
  EXPECT_STREQ(select_bcast(Shape::line(384), 10, "auto", 0, tuning).algorithm->name, "ring");
}

TEST(Tuning, MistakesAreNamedWithTheirPlace) {
  EXPECT_THAT(error_of("{"), HasSubstr("tuning table 'table.json', line 1: byte"));
  EXPECT_THAT(error_of("[]"), HasSubstr("not an object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("must be \"mpiactor-tuning-1\""));
  EXPECT_THAT(error_of(table(R"(, "bcst": [])")),
              HasSubstr("unknown key 'bcst'; allowed: format, link, bcast, reduce, allreduce, "
                        "reduce_scatter, allgather"));
  EXPECT_THAT(error_of(table(R"(, "bcast": {})")), HasSubstr("not a list"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [], "link": {}, "bcast": [])")),
              HasSubstr("bcast: is there twice"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{}, {"algorithm": "ring", "algorithm": "chain"}])")),
              HasSubstr("bcast[1].algorithm: is there twice"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{}])")), HasSubstr("bcast[0]: has no \"algorithm\""));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "fast"}])")),
              HasSubstr("'fast' is unknown; allowed: library, staging, single_copy, auto, linear"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "nodes": "8..2"}])")),
              HasSubstr("empty range"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "nodes": "x"}])")),
              HasSubstr("'x' is not a number;"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "up_to": "6 apples"}])")),
              HasSubstr("bcast[0].up_to"));
  EXPECT_EQ(error_of(table(R"(, "bcast": [{"algorithm": "ring", "segment": "1G"}])")), "no error");
  for (const char* segment : {R"("1025M")", R"("2G")", "4611686018427387904", "1023"}) {
    const std::string row = R"({"algorithm": "ring", "segment": )" + std::string(segment) + "}";
    EXPECT_THAT(error_of(table(R"(, "bcast": [)" + row + "]")),
                HasSubstr("is not allowed; allowed: 1K to 1G"));
  }
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "segment": -1}])")),
              HasSubstr("'-1' is not a size; allowed: a positive number"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "nodes": -1}])")),
              HasSubstr("'-1' is not a number; allowed: 4, 2..8 or 9.."));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "why": 3}])")),
              HasSubstr("3 is not a text"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "shape": "8xx"}])")),
              HasSubstr("bcast[0].shape"));
  EXPECT_THAT(error_of(table(R"(, "link": {"latency_us": 0})")),
              HasSubstr("link.latency_us: 0 is not a positive number"));
}

// Exchanges in which nothing is passed on have no model: they run where a rule or a setting names
// them, and then in as few messages as can be.
TEST(Select, WhatHasNoModelIsNotCut) {
  const Tuning tuning;
  const Selection named =
      select(Collective::kAllreduce, Shape::line(4), 100'000, "linear", 0, tuning);
  EXPECT_STREQ(named.algorithm->name, "linear");
  EXPECT_STREQ(named.reason, "setting");
  EXPECT_EQ(named.segment_bytes, 100'000u);
  EXPECT_EQ(
      select(Collective::kAllreduce, Shape::line(4), 64 << 20, "shares", 0, tuning).segment_bytes,
      1u << 20);
  for (const Collective collective :
       {Collective::kReduce, Collective::kAllreduce, Collective::kAllgather}) {
    for (const Candidate& candidate : candidates(collective, Shape::line(4), 8, tuning.link)) {
      EXPECT_STRNE(candidate.algorithm->name, "linear");
      EXPECT_STRNE(candidate.algorithm->name, "shares");
    }
  }
}

// Reduce-scatters have plans, and no model of them.
TEST(Select, WithoutAModelThereIsNoChoice) {
  const Tuning tuning;
  for (const Shape& shape : {Shape::line(4), Shape::line(20), parse_shape("8x6x8")}) {
    EXPECT_TRUE(candidates(Collective::kReduceScatter, shape, 1 << 20, tuning.link).empty());
    EXPECT_THROW(select(Collective::kReduceScatter, shape, 1 << 20, "auto", 0, tuning),
                 std::logic_error);
  }
}

TEST(Tuning, LinearExchangesHaveNames) {
  const std::vector<std::string> names = rule_names(Call::kAllreduce);
  EXPECT_EQ(std::count(names.begin(), names.end(), "shares"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "linear"), 1);
  EXPECT_EQ(error_of(table(R"(, "reduce_scatter": [{"algorithm": "linear"}])")), "no error");
  EXPECT_THAT(error_of(table(R"(, "reduce_scatter": [{"algorithm": "linear", "segment": "16K"}])")),
              HasSubstr("'linear' has no segments to set"));
}

}  // namespace
}  // namespace mpiactor::inter
