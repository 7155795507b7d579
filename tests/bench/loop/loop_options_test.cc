#include "bench/loop/loop_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace mpiactor::bench {
namespace {

using ::testing::HasSubstr;

ParsedLoopOptions parse(std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv = {"loop_run"};
  argv.insert(argv.end(), arguments);
  return parse_loop_options(static_cast<int>(argv.size()), argv.data(), 4);
}

TEST(LoopOptions, HaveTheDocumentedDefaults) {
  const ParsedLoopOptions parsed = parse({});
  ASSERT_TRUE(parsed.run) << parsed.message;
  const LoopOptions& options = parsed.options;
  EXPECT_EQ(options.sizes_bytes, (std::vector<std::int64_t>{4096, 12288, 40960, 262144}));
  EXPECT_EQ(options.shape.ranks, 4);
  EXPECT_EQ(options.shape.steps, 100);
  EXPECT_EQ(options.shape.warmup, 10);
  EXPECT_EQ(options.shape.step_ns, 8'000'000);
  EXPECT_EQ(options.shape.root_every, 10);
  EXPECT_EQ(options.noise.kind(), apps::NoiseKind::kIndependent);
  EXPECT_EQ(options.noise.scale_ns(), 3'000'000);
  EXPECT_EQ(options.noise.seed(), 1u);
}

TEST(LoopOptions, AreReadInTheirUnits) {
  const ParsedLoopOptions parsed =
      parse({"--sizes", "8,1M", "--step-us", "0.5", "--noise-us", "1500", "--noise", "rare",
             "--seed", "9", "--root-every", "1", "--steps", "7", "--warmup", "0", "--label", "x"});
  ASSERT_TRUE(parsed.run) << parsed.message;
  const LoopOptions& options = parsed.options;
  EXPECT_EQ(options.sizes_bytes, (std::vector<std::int64_t>{8, 1 << 20}));
  EXPECT_EQ(options.shape.step_ns, 500);
  EXPECT_EQ(options.noise.kind(), apps::NoiseKind::kRare);
  EXPECT_EQ(options.noise.scale_ns(), 1'500'000);
  EXPECT_EQ(options.noise.seed(), 9u);
  EXPECT_EQ(options.shape.root_every, 1);
  EXPECT_EQ(options.shape.steps, 7);
  EXPECT_EQ(options.shape.warmup, 0);
  EXPECT_EQ(options.label, "x");
}

TEST(LoopOptions, WrongOnesAreNamed) {
  const std::vector<std::pair<std::pair<const char*, const char*>, const char*>> cases = {
      {{"--noise", "loud"},
       "--noise: 'loud' is no kind of noise: choose one of independent, persistent, rare"},
      {{"--noise-us", "-1"}, "--noise-us: Value -1 not in range"},
      {{"--step-us", "soon"}, "--step-us: Value soon not in range"},
      {{"--step-us", "nan"}, "--step-us: Value nan not in range"},
      {{"--noise-us", "nan"}, "--noise-us: Value nan not in range"},
      {{"--steps", "0"}, "--steps: Value 0 not in range"},
      {{"--root-every", "0"}, "--root-every: Value 0 not in range"},
      {{"--sizes", "4K,1X"}, "--sizes: '1X' is not a message size"},
      {{"--nodes", "5"}, "--nodes: node layout '5' does not fit 4 ranks"},
      {{"--clock", "sun"}, "--clock: sun not in {auto"},
      {{"--tempo", "1"}, "--tempo"},
  };
  for (const auto& [arguments, message] : cases) {
    const ParsedLoopOptions parsed = parse({arguments.first, arguments.second});
    EXPECT_FALSE(parsed.run);
    EXPECT_EQ(parsed.exit_code, 2) << arguments.first;
    EXPECT_THAT(parsed.message, HasSubstr(message));
  }
}

TEST(LoopOptions, HelpIsNoError) {
  const ParsedLoopOptions parsed = parse({"--help"});
  EXPECT_FALSE(parsed.run);
  EXPECT_EQ(parsed.exit_code, 0);
  EXPECT_THAT(parsed.message, HasSubstr("--noise-us"));
}

}  // namespace
}  // namespace mpiactor::bench
