#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "sim/replay_calls.h"

namespace mpiactor::sim {
namespace {

constexpr Picoseconds kMs = 1'000 * kPicosecondsPerMicrosecond;

// Four nodes of two ranks; the root is rank 0.
RecordedCall call_with(std::vector<Picoseconds> arrivals) {
  return {.node_ranks = {2, 2, 2, 2},
          .root_rank = 0,
          .bytes = 1024,
          .algorithm = "linear",
          .arrivals = std::move(arrivals)};
}

TEST(Replay, LateLeadersCostStaticAlone) {
  // The lowest ranks of the nodes 1 to 3 come 5 ms late; the others wait for them where they lead.
  const ReplayedCall replayed =
      replay(load_machine("tcp_hosts"), 0, call_with({0, 0, 5 * kMs, 0, 5 * kMs, 0, 5 * kMs, 0}));
  EXPECT_EQ(replayed.of_static.algorithm, "linear");
  for (const std::size_t waiting : {3, 5, 7}) {
    EXPECT_GT(replayed.of_static.excess_us[waiting], 5000);
    EXPECT_LT(replayed.of_static.excess_us[waiting], 5100);
    EXPECT_LT(replayed.of_competitive.excess_us[waiting], 100);
    EXPECT_GT(replayed.of_competitive.excess_us[waiting], 1);
  }
  EXPECT_LT(replayed.of_competitive.excess_us[2], 100);
}

TEST(Replay, PunctualRanksCostTheSame) {
  const ReplayedCall replayed =
      replay(load_machine("tcp_hosts"), 0, call_with({0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(replayed.of_static.excess_us, replayed.of_competitive.excess_us);
}

TEST(Replay, WaitForTheRootIsNoExcess) {
  const ReplayedCall replayed =
      replay(load_machine("tcp_hosts"), 0, call_with({9 * kMs, 0, 0, 0, 0, 0, 0, 0}));
  for (const double excess : replayed.of_static.excess_us) EXPECT_LT(excess, 200);
}

// What is said of a document whose second call is changed so.
std::string message(nlohmann::json document, const nlohmann::json& change) {
  document["calls"][1].update(change);
  try {
    replay_document(document);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// As the simulator said when it knew nodes of equal size alone.
TEST(Replay, BroadcastsOnEqualNodesAsEver) {
  const ReplayedCall replayed =
      replay(load_machine("tcp_hosts"), 0, call_with({0, 0, 7 * kMs, 0, 3 * kMs, 0, 0, 9 * kMs}));
  EXPECT_EQ(replayed.of_static.excess_us,
            (std::vector<double>{14.682667, 1.113778, 1.0, 7001.113778, 1.0, 3001.113778, 14.682667,
                                 1.113778}));
  EXPECT_EQ(replayed.of_competitive.excess_us,
            (std::vector<double>{14.682667, 1.113778, 1.113778, 10.682667, 1.113778, 12.682667,
                                 14.682667, 1.113778}));
  const nlohmann::json old = {{"nodes", 4},
                              {"ranks_per_node", 2},
                              {"root", 0},
                              {"bytes", 1024},
                              {"algorithm", "linear"},
                              {"arrivals_ns", {0, 0, 7'000'000, 0, 3'000'000, 0, 0, 9'000'000}}};
  nlohmann::json with_ranks = old;
  with_ranks.erase("nodes");
  with_ranks.erase("ranks_per_node");
  with_ranks["node_ranks"] = {2, 2, 2, 2};
  with_ranks["operation"] = "MPI_Bcast";
  const auto result =
      replay_document({{"machine", "tcp_hosts"}, {"calls", {old, with_ranks}}})["calls"];
  EXPECT_EQ(result[0], result[1]);
}

TEST(Replay, DocumentAndItsErrors) {
  const nlohmann::json call = {{"nodes", 2},          {"ranks_per_node", 2},
                               {"root", 1},           {"bytes", 4096},
                               {"algorithm", "auto"}, {"arrivals_ns", {5000, 0, 0, 0}}};
  const nlohmann::json document = {{"machine", "tcp_hosts"}, {"calls", {call, call}}};
  const nlohmann::ordered_json result = replay_document(document);
  EXPECT_EQ(result["calls"].size(), 2u);
  EXPECT_EQ(result["calls"][0]["static"]["excess_us"].size(), 4u);
  EXPECT_EQ(result["machine"]["link_mbps"], 1500);
  EXPECT_EQ(result["machine"]["latency_us"], 8.9);

  EXPECT_EQ(message(document, {{"root", 4}}), "call 1: root is 4; allowed: 0 to 3");
  EXPECT_EQ(message(document, {{"nodes", "x"}}), "call 1: nodes is missing or no whole number");
  EXPECT_EQ(message(document, {{"bytes", -1}}), "call 1: bytes is -1; allowed: 0 to 1099511627776");
  EXPECT_EQ(message(document, {{"arrivals_ns", {1}}}),
            "call 1: arrivals_ns has 1 numbers; allowed: 4, one for each rank");
  EXPECT_EQ(message(document, {{"arrivals_ns", 7}}), "call 1: arrivals_ns is missing or no list");
  EXPECT_EQ(message(document, {{"arrivals_ns", {1, 0, 0, -1}}}),
            "call 1: arrivals_ns holds -1; allowed: whole numbers from 0");
  EXPECT_TRUE(message(document, {{"algorithm", "magic"}})
                  .starts_with("call 1: algorithm is 'magic'; allowed: auto, "));
  EXPECT_EQ(message(document, {{"hybrid", 1}}), "call 1: hybrid is neither true nor false");
  EXPECT_EQ(message(document, {{"leader", 1}}), "call 1: leader is missing or no text");
  EXPECT_THROW(replay_document(nlohmann::json::array()), InputError);
}

TEST(Replay, OperationsAndRanksOfNodes) {
  const nlohmann::json call = {{"operation", "MPI_Alltoall"},
                               {"node_ranks", {2, 1}},
                               {"bytes", 64},
                               {"algorithm", "auto"},
                               {"arrivals_ns", {5000, 0, 0}}};
  const nlohmann::json document = {{"machine", "tcp_hosts"}, {"calls", {call, call}}};
  EXPECT_EQ(replay_document(document)["calls"][1]["competitive"]["excess_us"].size(), 3u);
  EXPECT_EQ(message(document, {{"operation", 3}}), "call 1: operation is missing or no text");
  EXPECT_EQ(message(document, {{"operation", "MPI_Gather"}}),
            "call 1: root is missing or no whole number");
  EXPECT_EQ(message(document, {{"node_ranks", {2, 2}}}),
            "call 1: arrivals_ns has 3 numbers; allowed: 4, one for each rank");
  EXPECT_EQ(message(document, {{"node_ranks", {3, 0}}}),
            "call 1: node_ranks holds 0; allowed: whole numbers from 1 to 4096");
  EXPECT_EQ(message(document, {{"node_ranks", nlohmann::json::array()}}),
            "call 1: node_ranks is no list of 1 to 1048576 numbers");
  EXPECT_EQ(message(document, {{"operation", "MPI_Allgatherv"}}),
            "call 1: blocks is no list of 3 numbers, one for each rank");
  EXPECT_EQ(message(document, {{"operation", "MPI_Allgatherv"}, {"blocks", {1, 2, -1}}}),
            "call 1: blocks holds -1; allowed: whole numbers from 0 to 366503875925");
  EXPECT_EQ(message(document, {{"operation", "MPI_Allgatherv"}, {"blocks", {1, 2, 0}}}),
            "no error");
  EXPECT_EQ(message(document, {{"nodes", 2}}),
            "call 1: both node_ranks and nodes, ranks_per_node; allowed: either");
  EXPECT_EQ(message(document, {{"bytes", 1'000'000'000'000}}),
            "call 1: bytes is 1000000000000; allowed: 0 to 122167958641");
  EXPECT_TRUE(message(document, {{"algorithm", "ring"}})
                  .starts_with("call 1: algorithm is 'ring'; allowed: auto, direct, linear, "));
}

TEST(Replay, SaysWhatIsLeftOut) {
  nlohmann::json call = {{"operation", "MPI_Scan"},
                         {"node_ranks", {2, 1}},
                         {"bytes", 64},
                         {"algorithm", "auto"},
                         {"arrivals_ns", {0, 0, 0}}};
  nlohmann::json barrier = call;
  barrier["operation"] = "MPI_Alltoallv";
  const nlohmann::ordered_json result =
      replay_document({{"machine", "tcp_hosts"}, {"calls", {call, barrier}}});
  for (const nlohmann::ordered_json& answer : result["calls"]) {
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_TRUE(result["reasons"].contains(answer["left_out"].get<std::string>()));
  }
}

}  // namespace
}  // namespace mpiactor::sim
