#include "third_party/cli11/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace mpiactor::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Colour { kNone, kRed, kBlue };

struct Values {
  Colour colour = Colour::kNone;
  int nodes = 1;
  double share = 0;
  std::vector<std::string> names;
  std::string from_file;
  int at_random = 0;
};

struct Outcome {
  Values values;
  bool is_wrong = false;
  int status = 0;
  std::string said;    // on standard output
  std::string errors;  // on standard error
};

Outcome parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  Outcome outcome;
  Values& values = outcome.values;
  App app("Draws something.", "program");
  app.add_choice("--colour", values.colour, {{"red", Colour::kRed}, {"blue", Colour::kBlue}},
                 "of lines");
  const Option nodes = app.add_option("--nodes", values.nodes, "how many")
                           ->check(Range(1, 8))
                           ->capture_default_str();
  app.add_option("--share", values.share, "of the whole")->check(Range(0.0, 1.0))->needs(nodes);
  app.add_option("--names", values.names, "several")->delimiter(',')->excludes(nodes);
  OptionGroup input = app.add_option_group("input", "one of");
  input.add_option("--from", values.from_file, "a file");
  input.add_option("--random", values.at_random, "a seed");
  input.require_option(1);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const ParseError& error) {
    std::ostringstream out;
    std::ostringstream errors;
    outcome.is_wrong = true;
    outcome.status = app.exit(error, out, errors);
    outcome.said = out.str();
    outcome.errors = errors.str();
  }
  return outcome;
}

TEST(Cli, TakesValuesOfAllKinds) {
  const Outcome outcome =
      parsed({"--colour", "blue", "--nodes=3", "--share", "0.25", "--from", "x"});
  ASSERT_FALSE(outcome.is_wrong) << outcome.errors;
  EXPECT_EQ(outcome.values.colour, Colour::kBlue);
  EXPECT_EQ(outcome.values.nodes, 3);
  EXPECT_EQ(outcome.values.share, 0.25);
  EXPECT_EQ(outcome.values.from_file, "x");
}

TEST(Cli, SplitsLists) {
  const Outcome outcome = parsed({"--names", "a,b", "--random", "7"});
  ASSERT_FALSE(outcome.is_wrong) << outcome.errors;
  EXPECT_THAT(outcome.values.names, ElementsAre("a", "b"));
  EXPECT_EQ(outcome.values.at_random, 7);
}

TEST(Cli, AChoiceMayBeInCapitals) {
  EXPECT_EQ(parsed({"--colour", "RED", "--random", "1"}).values.colour, Colour::kRed);
}

TEST(Cli, RefusesWhatIsNoChoice) {
  const Outcome outcome = parsed({"--colour", "green", "--random", "1"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_EQ(outcome.said, "");
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("--colour"), HasSubstr("green"), HasSubstr("red"),
                                    HasSubstr("blue")));
  EXPECT_EQ(outcome.values.colour, Colour::kNone);
}

TEST(Cli, RefusesNumbersOutOfRange) {
  for (const char* nodes : {"0", "9", "2x", "", "nan"}) {
    EXPECT_THAT(parsed({"--nodes", nodes, "--random", "1"}).errors, HasSubstr("--nodes")) << nodes;
  }
  for (const char* share : {"-0.1", "1.5", "nan", "-NaN", "inf", "x"}) {
    EXPECT_THAT(parsed({"--nodes", "2", "--share", share, "--random", "1"}).errors,
                HasSubstr("--share"))
        << share;
  }
}

TEST(Cli, OptionsNeedAndExcludeOthers) {
  EXPECT_THAT(parsed({"--share", "0.5", "--random", "1"}).errors, HasSubstr("--nodes"));
  EXPECT_THAT(parsed({"--names", "a", "--nodes", "2", "--random", "1"}).errors,
              HasSubstr("--nodes"));
  EXPECT_THAT(parsed({}).errors, HasSubstr("--from"));
  EXPECT_TRUE(parsed({"--from", "x", "--random", "1"}).is_wrong);
}

TEST(Cli, HelpIsNoError) {
  const Outcome outcome = parsed({"--help"});
  EXPECT_TRUE(outcome.is_wrong);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(outcome.said,
              AllOf(HasSubstr("Draws something."), HasSubstr("--colour"), HasSubstr("[1 - 8]")));
}

TEST(Cli, OwnErrorsAreSaidLikeOthers) {
  App app("", "program");
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_NE(app.exit(ValidationError("--nodes", "too many"), out, errors), 0);
  EXPECT_NE(app.exit(RequiredError("--from"), out, errors), 0);
  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(errors.str(), AllOf(HasSubstr("--nodes: too many"), HasSubstr("--from is required")));
}

}  // namespace
}  // namespace mpiactor::cli
