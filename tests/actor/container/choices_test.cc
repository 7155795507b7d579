// What is kept of the choices between nodes.
#include "actor/container/choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace mpiactor {
namespace {

constexpr int kNodes = 82944;

Choices choices_on(const inter::Shape& shape, const Settings& settings,
                   const inter::Tuning& tuning) {
  return Choices(settings, tuning, inter::TorusView::in_order(shape), 5);
}

TEST(Choices, TheSameCallFindsTheSamePlan) {
  const Settings settings;
  const inter::Tuning tuning;
  Choices choices = choices_on(inter::Shape::line(kNodes), settings, tuning);
  const auto first = choices.choose(inter::Collective::kBcast, 0, 1 << 20, 1);
  EXPECT_EQ(choices.choose(inter::Collective::kBcast, 0, 1 << 20, 1), first);
  EXPECT_NE(choices.choose(inter::Collective::kBcast, 1, 1 << 20, 1), first);
  EXPECT_GT(choices.kept_bytes(), 0u);
}

TEST(Choices, LongPlansAreNotKept) {
  Settings settings;
  settings.allgather = "ring";
  const inter::Tuning tuning;
  Choices choices = choices_on(inter::Shape::line(kNodes), settings, tuning);
  const std::uint64_t bytes = std::uint64_t{kNodes} * 1024;
  const auto ring = choices.choose(inter::Collective::kAllgather, 0, bytes, 1);
  EXPECT_GT(ring->plan.ops.size(), std::size_t{kNodes});
  EXPECT_EQ(choices.kept_bytes(), 0u);
  EXPECT_EQ(ring.use_count(), 1);
}

TEST(Choices, AllTogetherStayBounded) {
  const Settings settings;
  const inter::Tuning tuning;
  Choices choices = choices_on(inter::Shape::line(2000), settings, tuning);
  std::vector<std::weak_ptr<const Choice>> all;
  std::size_t most = 0;
  for (int root = 0; root < 1200; ++root) {
    all.push_back(choices.choose(inter::Collective::kBcast, root, 4096, 1));
    most = std::max(most, choices.kept_bytes());
  }
  EXPECT_LE(most, Choices::kMostKeptBytes);
  EXPECT_GT(most, Choices::kMostKeptBytes / 2);
  const auto gone =
      std::count_if(all.begin(), all.end(), [](const auto& c) { return c.expired(); });
  EXPECT_LE((all.size() - static_cast<std::size_t>(gone)) * Choices::kChoiceBytes,
            Choices::kMostKeptBytes);
}

}  // namespace
}  // namespace mpiactor
