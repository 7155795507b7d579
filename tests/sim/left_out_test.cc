// What is played, at the limits that the runtime goes by.
#include "sim/left_out.h"

#include <gtest/gtest.h>

#include "inter/plan.h"

namespace mpiactor::sim {
namespace {

using enum RecordedOperation;

// Whoever is there sends on up to so many nodes.
constexpr int kFewNodes = 8;

RecordedCall call_on(int nodes, RecordedOperation operation, std::uint64_t bytes) {
  RecordedCall call;
  call.operation = operation;
  call.node_ranks.assign(static_cast<std::size_t>(nodes), 2);
  call.bytes = bytes;
  return call;
}

std::string reason(const RecordedCall& call) {
  const LeftOut* const why = left_out(call);
  return why ? why->reason : "";
}

std::string reason(int nodes, RecordedOperation operation, std::uint64_t bytes) {
  return reason(call_on(nodes, operation, bytes));
}

TEST(LeftOut, NodesUpToWhichTheLastSends) {
  for (const RecordedOperation operation : {kAllgather, kAlltoall}) {
    EXPECT_EQ(reason(kFewNodes, operation, 8), "");
    EXPECT_EQ(reason(kFewNodes + 1, operation, 8), "same");
  }
  for (const RecordedOperation operation : {kBarrier, kAllreduce, kReduceScatterBlock}) {
    EXPECT_EQ(reason(kFewNodes, operation, 8), "");
    EXPECT_EQ(reason(kFewNodes + 1, operation, 8), "same");
  }
  EXPECT_EQ(reason(kFewNodes, kReduce, 8), "");
  EXPECT_EQ(reason(kFewNodes + 1, kReduce, 20'000), "same");
  EXPECT_EQ(reason(4 * kFewNodes, kReduce, 8), "");
  EXPECT_EQ(reason(4 * kFewNodes + 1, kReduce, 8), "same");
  EXPECT_EQ(reason(inter::kMaxChannels, kGather, 8), "");
  EXPECT_EQ(reason(inter::kMaxChannels + 1, kGather, 8), "passed_on");
  EXPECT_EQ(reason(inter::kMaxChannels + 1, kScatter, 8), "passed_on");
  EXPECT_EQ(reason(inter::kMaxChannels + 1, kBcast, 8), "");
}

TEST(LeftOut, BlocksThatAreLeftToTheMpiLibrary) {
  constexpr int kNodes = 5;  // of two ranks
  const std::pair<RecordedOperation, std::uint64_t> limits[] = {
      {kAllgather, 128 << 10}, {kAlltoall, 4 << 10}, {kScatter, 1 << 20}};
  for (const auto& [operation, most] : limits) {
    EXPECT_EQ(reason(kNodes, operation, most), "");
    RecordedCall longer = call_on(kNodes, operation, most + 1);
    EXPECT_EQ(reason(longer), "passed_on");
    longer.was_hybrid = true;  // as it was set
    EXPECT_EQ(reason(longer), "");
  }
}

// On up to 4 nodes an allgather of any length pays.
TEST(LeftOut, LongAllgathersOnFewNodes) {
  EXPECT_EQ(reason(4, kAllgather, 1 << 30), "");
  EXPECT_EQ(reason(5, kAllgather, 1 << 30), "passed_on");
}

// In one round, in shares, or by the leader's plan under both policies.
TEST(LeftOut, AllreducesByTheirBytes) {
  for (int nodes = 2; nodes <= kFewNodes; ++nodes) {
    for (const std::uint64_t kib : {1, 16, 17, 63, 64, 128, 129, 255, 256, 1024}) {
      const bool goes_directly = kib <= 16 || kib >= 64 || nodes <= 4;
      EXPECT_EQ(reason(nodes, kAllreduce, kib << 10), goes_directly ? "" : "same")
          << nodes << " nodes, " << kib << " KiB";
    }
  }
  EXPECT_EQ(reason(4, kAllreduce, 16 << 10), "");
  EXPECT_EQ(reason(5, kAllreduce, 17 << 10), "same");
}

TEST(LeftOut, AlgorithmsThatWereSet) {
  for (const RecordedOperation operation : {kAllgather, kAllgatherv, kAllreduce}) {
    RecordedCall call = call_on(2, operation, 8);
    call.was_hybrid = true;
    call.leader_setting = "competitive";
    call.algorithm = "direct";
    EXPECT_EQ(reason(call), "");
    call.algorithm = "ring";
    EXPECT_EQ(reason(call), "same");
    call.leader_setting = "static";
    EXPECT_EQ(reason(call), "");
  }
}

TEST(LeftOut, BlocksOfDifferentSizes) {
  EXPECT_EQ(reason(2, kAlltoallv, 8), "sizes_unknown");
  EXPECT_EQ(reason(2, kReduceScatter, 8), "sizes_unknown");
  RecordedCall call = call_on(2, kGatherv, 0);
  call.blocks = {0, 0, 0, 1};
  EXPECT_EQ(reason(call), "");
  call.blocks = {0, 0, 0, 0};
  EXPECT_EQ(reason(call), "no_bytes");
  call.blocks = {0, 0, 0, 1};
  call.operation = kScatterv;
  EXPECT_EQ(reason(call), "passed_on");
}

TEST(LeftOut, WhatHasNothingToPlay) {
  EXPECT_EQ(reason(1, kBcast, 8), "one_node");
  EXPECT_EQ(reason(2, kBcast, 0), "no_bytes");
  EXPECT_EQ(reason(2, kOther, 8), "not_modelled");
  RecordedCall alone = call_on(2, kBcast, 8);
  alone.node_ranks = {1, 1};
  EXPECT_EQ(reason(alone), "one_rank_each");
  alone.node_ranks = {1, 2};
  EXPECT_EQ(reason(alone), "");
}

}  // namespace
}  // namespace mpiactor::sim
