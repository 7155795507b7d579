#include <gtest/gtest.h>

#include <string>

#include "sim/replay_calls.h"

namespace mpiactor::sim {
namespace {

constexpr Picoseconds kMs = 1'000 * kPicosecondsPerMicrosecond;

// Four nodes of two ranks; the root is rank 0.
RecordedCall call_with(std::vector<Picoseconds> arrivals) {
  return {.nodes = 4,
          .ranks_per_node = 2,
          .root_rank = 0,
          .bytes = 1024,
          .algorithm = "linear",
          .arrivals = std::move(arrivals)};
}

TEST(Replay, LateLeadersCostStaticAlone) {
  // The lowest ranks of the nodes 1 to 3 come 5 ms late; the others wait for them where they lead.
  const ReplayedCall replayed =
      replay(load_machine("tcp_hosts"), 0, call_with({0, 0, 5 * kMs, 0, 5 * kMs, 0, 5 * kMs, 0}));
  EXPECT_EQ(replayed.algorithm, "linear");
  for (const std::size_t waiting : {3, 5, 7}) {
    EXPECT_GT(replayed.static_excess_us[waiting], 5000);
    EXPECT_LT(replayed.static_excess_us[waiting], 5100);
    EXPECT_LT(replayed.competitive_excess_us[waiting], 100);
    EXPECT_GT(replayed.competitive_excess_us[waiting], 1);
  }
  EXPECT_LT(replayed.competitive_excess_us[2], 100);
}

TEST(Replay, PunctualRanksCostTheSame) {
  const ReplayedCall replayed =
      replay(load_machine("tcp_hosts"), 0, call_with({0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(replayed.static_excess_us, replayed.competitive_excess_us);
}

TEST(Replay, WaitForTheRootIsNoExcess) {
  const ReplayedCall replayed =
      replay(load_machine("tcp_hosts"), 0, call_with({9 * kMs, 0, 0, 0, 0, 0, 0, 0}));
  for (const double excess : replayed.static_excess_us) EXPECT_LT(excess, 200);
}

TEST(Replay, DocumentAndItsErrors) {
  const nlohmann::json call = {{"nodes", 2},    {"ranks_per_node", 1}, {"root", 1},
                               {"bytes", 4096}, {"algorithm", "auto"}, {"arrivals_ns", {5000, 0}}};
  const nlohmann::json document = {{"machine", "tcp_hosts"}, {"calls", {call, call}}};
  const nlohmann::ordered_json result = replay_document(document);
  EXPECT_EQ(result["calls"].size(), 2u);
  EXPECT_EQ(result["calls"][0]["static_excess_us"].size(), 2u);
  EXPECT_EQ(result["machine"]["link_mbps"], 1500);
  EXPECT_EQ(result["machine"]["latency_us"], 8.9);

  const auto message_of = [&](const char* field, const nlohmann::json& value) {
    nlohmann::json wrong = document;
    wrong["calls"][1][field] = value;
    try {
      replay_document(wrong);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message_of("root", 2), "call 1: root is 2; allowed: 0 to 1");
  EXPECT_EQ(message_of("nodes", "x"), "call 1: nodes is missing or no whole number");
  EXPECT_EQ(message_of("bytes", 0), "call 1: bytes is 0; allowed: 1 to 1099511627776");
  EXPECT_EQ(message_of("arrivals_ns", {1}), "call 1: arrivals_ns is no list of 2 numbers");
  EXPECT_EQ(message_of("arrivals_ns", {1, -1}),
            "call 1: arrivals_ns holds -1; allowed: whole numbers from 0");
  EXPECT_TRUE(
      message_of("algorithm", "magic").starts_with("algorithm is 'magic'; allowed: auto, "));
  EXPECT_THROW(replay_document(nlohmann::json::array()), InputError);
}

}  // namespace
}  // namespace mpiactor::sim
