#include "apps/common/noise_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "third_party/cli11/cli.h"

namespace mpiactor::apps {
namespace {

using ::testing::HasSubstr;

struct Parsed {
  NoiseSettings settings;
  std::string error;  // empty: none
};

Parsed parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  cli::App app("", "program");
  Parsed parsed;
  add_noise(app, parsed.settings);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
    check_noise(app, parsed.settings);
  } catch (const cli::ParseError& error) {
    parsed.error = error.what();
  }
  return parsed;
}

TEST(NoiseOptions, WithoutThemThereIsNoNoise) {
  const Parsed parsed = parse({});
  EXPECT_EQ(parsed.error, "");
  EXPECT_FALSE(parsed.settings.is_drawn());
  EXPECT_FALSE(parsed.settings.is_recorded());
}

TEST(NoiseOptions, AScaleAloneIsOfIndependentNoise) {
  const Parsed parsed = parse({"--noise-us", "0.5"});
  EXPECT_EQ(parsed.error, "");
  EXPECT_TRUE(parsed.settings.is_drawn());
  EXPECT_EQ(parsed.settings.noise().kind(), NoiseKind::kIndependent);
  EXPECT_EQ(parsed.settings.noise().scale_ns(), 500);
  EXPECT_EQ(parsed.settings.noise().seed(), 1u);
}

TEST(NoiseOptions, AllMayBeGiven) {
  const Parsed parsed = parse({"--noise-us", "2000", "--noise", "rare", "--noise-seed", "7"});
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.settings.noise().kind(), NoiseKind::kRare);
  EXPECT_EQ(parsed.settings.noise().scale_ns(), 2'000'000);
  EXPECT_EQ(parsed.settings.noise().seed(), 7u);
}

TEST(NoiseOptions, AScaleIsANumber) {
  for (const char* text : {"nan", "-nan", "NAN", "inf", "-1", "6e7x"}) {
    EXPECT_THAT(parse({"--noise-us", text}).error, HasSubstr("not in range")) << text;
  }
}

TEST(NoiseOptions, ATraceNeedsNoScale) {
  const Parsed parsed = parse({"--noise", "trace:a:b.trace"});
  EXPECT_EQ(parsed.error, "");
  EXPECT_TRUE(parsed.settings.is_recorded());
  EXPECT_FALSE(parsed.settings.is_drawn());
  EXPECT_EQ(parsed.settings.trace_file(), "a:b.trace");
}

TEST(NoiseOptions, WrongOnesAreNamed) {
  const std::vector<std::pair<std::vector<const char*>, const char*>> cases = {
      {{"--noise", "loud", "--noise-us", "3"},
       "--noise: 'loud' is no kind of noise: choose one of independent, persistent, rare or "
       "trace:FILE"},
      {{"--noise", "rare"}, "--noise: allowed with --noise-us K"},
      {{"--noise-seed", "2"}, "--noise-seed: allowed with --noise-us K"},
      {{"--noise", "trace:"}, "--noise: trace: names no file; allowed is trace:FILE"},
      {{"--noise", "trace:x", "--noise-us", "3"}, "--noise-us: not together with --noise trace:"},
      {{"--noise", "trace:x", "--noise-seed", "3"}, "--noise-seed: not together with --noise trac"},
      {{"--noise-us", "-1"}, "--noise-us: Value -1 not in range"},
      {{"--noise-us", "many"}, "--noise-us: Value many not in range"},
  };
  for (const auto& [arguments, message] : cases) {
    EXPECT_THAT(parse(arguments).error, HasSubstr(message));
  }
}

}  // namespace
}  // namespace mpiactor::apps
