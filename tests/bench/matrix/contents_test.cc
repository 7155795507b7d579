#include "bench/matrix/contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace mpiactor::bench {
namespace {

constexpr int kRanks = 3;
constexpr int kRoot = 1;
constexpr std::size_t kCount = 600;  // elements of a block, more than two periods

using Buffers = std::vector<std::vector<int>>;

Share share_of(const Collective& collective, int rank) {
  return {.collective = &collective,
          .kind = ElementKind::kInt,
          .count = kCount,
          .rank = rank,
          .ranks = kRanks,
          .root = kRoot,
          .salt = 5};
}

std::size_t index_of(int block) { return static_cast<std::size_t>(block) * kCount; }

// Plays the collective: what rank `to` receives from rank `from` goes where MPI says.
void deliver(const Collective& collective, const Buffers& send, Buffers& receive) {
  for (int to = 0; to < kRanks; ++to) {
    if (collective.direction == Direction::kToRoot && to != kRoot) continue;
    auto& out = receive[static_cast<std::size_t>(to)];
    if (collective.reduces) std::fill(out.begin(), out.end(), 0);
    for (int from = 0; from < kRanks; ++from) {
      if (collective.direction == Direction::kFromRoot && from != kRoot) continue;
      const auto& in =
          collective.send == Blocks::kNone ? receive[kRoot] : send[static_cast<std::size_t>(from)];
      const std::size_t source = collective.send == Blocks::kEachRank ? index_of(to) : 0;
      const std::size_t target = collective.receive == Blocks::kEachRank ? index_of(from) : 0;
      for (std::size_t i = 0; i < kCount; ++i) {
        out[target + i] = (collective.reduces ? out[target + i] : 0) + in[source + i];
      }
    }
  }
}

class ContentsTest : public testing::TestWithParam<const Collective*> {};

TEST_P(ContentsTest, RightDataIsAcceptedAndOneWrongElementFound) {
  const Collective& collective = *GetParam();
  Buffers send(kRanks, std::vector<int>(kRanks * kCount));
  Buffers receive = send;
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto own = static_cast<std::size_t>(rank);
    fill_contents(share_of(collective, rank), send[own].data(), receive[own].data());
  }
  const bool root_receives_anew = collective.send != Blocks::kNone;
  if (root_receives_anew) {
    EXPECT_EQ(find_wrong_element(share_of(collective, kRoot), receive[kRoot].data()), 0u);
  }
  deliver(collective, send, receive);
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto own = static_cast<std::size_t>(rank);
    const Share share = share_of(collective, rank);
    EXPECT_EQ(find_wrong_element(share, receive[own].data()), std::nullopt) << "rank " << rank;
    const bool receives = collective.direction != Direction::kToRoot || rank == kRoot;
    ++receive[own][kCount - 1];
    EXPECT_EQ(find_wrong_element(share, receive[own].data()).has_value(), receives);
  }
}

std::vector<const Collective*> with_data() {
  std::vector<const Collective*> chosen;
  for (const Collective& row : collectives()) {
    if (row.receive != Blocks::kNone) chosen.push_back(&row);
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(All, ContentsTest, testing::ValuesIn(with_data()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(Contents, AreExactInEveryElementType) {
  const Collective& allreduce = *parse_collectives("allreduce").front();
  Share share = share_of(allreduce, 0);
  share.ranks = 1;
  std::vector<double> doubles(kCount), received(kCount);
  share.kind = ElementKind::kDouble;
  fill_contents(share, doubles.data(), received.data());
  EXPECT_EQ(find_wrong_element(share, doubles.data()), std::nullopt);
  EXPECT_EQ(doubles[0], sent_value(0, 0, 0, share.salt));
  std::vector<float> floats(kCount), spoiled(kCount);
  share.kind = ElementKind::kFloat;
  fill_contents(share, floats.data(), spoiled.data());
  EXPECT_EQ(find_wrong_element(share, floats.data()), std::nullopt);
  EXPECT_EQ(find_wrong_element(share, spoiled.data()), 0u);
}

TEST(ElementTypes, AreNamed) {
  EXPECT_EQ(parse_element_type("double").bytes, 8u);
  EXPECT_THROW(parse_element_type("short"), std::invalid_argument);
}

}  // namespace
}  // namespace mpiactor::bench
