#include "inter/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Select, FewNodesAreServedByTheRoot) {
  for (int nodes = 1; nodes <= kStarNodes; ++nodes) {
    EXPECT_STREQ(select_bcast(Shape::line(nodes), 1 << 20, "auto", 0, Tuning{}).algorithm->name,
                 "linear");
  }
}

TEST(Select, TheModelsFastestIsTaken) {
  const Tuning tuning;
  for (const char* shape_text : {"5", "64", "8x6x8", "64x6", "16x12x16", "7x1x3"}) {
    const Shape shape = parse_shape(shape_text);
    for (std::uint64_t bytes = 1; bytes <= (1u << 30); bytes *= 8) {
      const std::vector<Candidate> candidates = bcast_candidates(shape, bytes, tuning.link);
      ASSERT_GE(candidates.size(), 10u);
      const Selection selection = select_bcast(shape, bytes, "auto", 0, tuning);
      EXPECT_EQ(selection.algorithm, candidates.front().algorithm) << shape_text << " " << bytes;
      for (const Candidate& candidate : candidates) {
        EXPECT_GE(candidate.time_us, candidates.front().time_us);
        EXPECT_GE(candidate.segment_bytes, 1u);
      }
    }
  }
}

TEST(Select, PredictedTimeGrowsWithTheMessage) {
  const LinkModel link{2.0, 5000};
  const Shape shape = parse_shape("8x6x8");
  double before = 0;
  for (std::uint64_t bytes = 1; bytes <= (1u << 30); bytes *= 2) {
    const double now = bcast_candidates(shape, bytes, link).front().time_us;
    EXPECT_GE(now, before * 0.999) << bytes;
    before = now;
  }
}

TEST(Select, LongMessagesOn3dTakeSeveralStreams) {
  const Selection selection = select_bcast(parse_shape("8x6x8"), 64u << 20, "auto", 0, Tuning{});
  EXPECT_GE(selection.algorithm->full_streams, 3) << selection.algorithm->name;
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
  EXPECT_THAT(error_of("{"), HasSubstr("tuning table 'table.json': byte"));
  EXPECT_THAT(error_of("[]"), HasSubstr("not an object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("must be \"mpiactor-tuning-1\""));
  EXPECT_THAT(error_of(table(R"(, "bcst": [])")),
              HasSubstr("unknown key 'bcst'; allowed: format, link, bcast"));
  EXPECT_THAT(error_of(table(R"(, "bcast": {})")), HasSubstr("not a list"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{}])")), HasSubstr("bcast[0]: has no \"algorithm\""));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "fast"}])")),
              HasSubstr("'fast' is unknown; allowed: linear"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "nodes": "8..2"}])")),
              HasSubstr("empty range"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "nodes": "x"}])")),
              HasSubstr("'x' is not a number of nodes"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "up_to": "6 apples"}])")),
              HasSubstr("bcast[0].up_to"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "segment": -1}])")),
              HasSubstr("-1 is not a text"));
  EXPECT_THAT(error_of(table(R"(, "bcast": [{"algorithm": "ring", "shape": "8xx"}])")),
              HasSubstr("bcast[0].shape"));
  EXPECT_THAT(error_of(table(R"(, "link": {"latency_us": 0})")),
              HasSubstr("link.latency_us: 0 is not a positive number"));
}

}  // namespace
}  // namespace mpiactor::inter
