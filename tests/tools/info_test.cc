// What mpiactor-info finds and how it prints it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "inter/registry.h"
#include "tools/info_facts.h"
#include "tools/info_format.h"

namespace mpiactor::info {
namespace {

namespace fs = std::filesystem;

const SettingFact& setting(const std::vector<SettingFact>& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const SettingFact& fact) { return fact.name == name; });
  if (found == facts.end()) throw std::runtime_error("no setting " + name);
  return *found;
}

TEST(InfoSettings, HoldsEverySettingOnceInTheTablesOrder) {
  const std::vector<SettingFact> facts = setting_facts({});
  ASSERT_EQ(facts.size(), setting_rows().size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ(facts[i].name, setting_rows()[i].name);
    EXPECT_FALSE(facts[i].given.has_value());
    EXPECT_EQ(facts[i].error, "");
  }
}

TEST(InfoSettings, TakesValuesFromTheEnvironment) {
  const std::vector<SettingFact> facts = setting_facts({{"MPIACTOR_SEGMENT", "64K"}});
  EXPECT_EQ(setting(facts, "MPIACTOR_SEGMENT").value(), "64K");
  EXPECT_EQ(setting(facts, "MPIACTOR_SEGMENT").default_text, "auto");
  EXPECT_EQ(setting(facts, "MPIACTOR_SEGMENT").error, "");
  EXPECT_EQ(setting(facts, "MPIACTOR_LEADER").value(), "competitive");
}

TEST(InfoSettings, FindsEveryWrongValueNotTheFirstAlone) {
  Facts facts;
  facts.settings = setting_facts({{"MPIACTOR_LEADER", "first"}, {"MPIACTOR_CANDIDATES", "0"}});
  EXPECT_EQ(setting(facts.settings, "MPIACTOR_LEADER").error,
            "MPIACTOR_LEADER='first' is not allowed; allowed: competitive|static|off");
  EXPECT_EQ(setting(facts.settings, "MPIACTOR_CANDIDATES").error,
            "MPIACTOR_CANDIDATES='0' is not allowed; allowed: 1..64");
  EXPECT_TRUE(facts.has_errors());
  facts.settings = setting_facts({{"MPIACTOR_LEADER", "off"}});
  EXPECT_FALSE(facts.has_errors());
}

TEST(InfoSettings, HoldsThoseOfThePolitePreload) {
  const auto errors = [](const SettingTexts& given) {
    return gather_facts(given, "/x/y", "").polite_errors;
  };
  EXPECT_TRUE(errors({}).empty());
  EXPECT_TRUE(
      errors({{"MPIACTOR_POLITE_POLLS", "1000000"}, {"MPIACTOR_POLITE_STATS", ""}}).empty());
  EXPECT_EQ(
      errors({{"MPIACTOR_POLITE_POLLS", "1000001"}, {"MPIACTOR_POLITE_STATS", "yes"}}),
      (std::vector<std::string>{"MPIACTOR_POLITE_POLLS=1000001: allowed are 0 (never) to 1000000",
                                "MPIACTOR_POLITE_STATS=yes: allowed are 0, 1"}));
  EXPECT_TRUE(gather_facts({{"MPIACTOR_POLITE_STATS", "yes"}}, "/x/y", "").has_errors());
}

// A tree of build outputs: tools/mpiactor-info beside actor/libmpiactor.so.
class InfoFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/info-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(root_); }

  void make(const fs::path& path, bool executable = false) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "x";
    if (executable) fs::permissions(root_ / path, fs::perms::owner_all);
  }

  fs::path root_;
};

TEST_F(InfoFiles, AreFoundInTheBuildTreeAndOnTheSearchPath) {
  make("tools/mpiactor-info");
  make("actor/libmpiactor.so");
  make("actor/polite/libmpiactor_polite.so");
  make("actor/libmpiactor_ompi.so");
  make("plain/mpiexec.hydra");
  make("bin/mpiexec.hydra", true);
  make("bin/mpirun.openmpi", true);
  make("bin/mpirun", true);
  const std::string search_path = (root_ / "plain").string() + ":" + (root_ / "bin").string();
  const std::vector<FileFact> files = find_files(root_ / "tools/mpiactor-info", search_path);
  ASSERT_EQ(files.size(), 6u);
  EXPECT_EQ(files[0].path, root_ / "actor/libmpiactor.so");
  EXPECT_EQ(files[1].path, root_ / "actor/libmpiactor_ompi.so");
  EXPECT_EQ(files[2].path, root_ / "actor/polite/libmpiactor_polite.so");
  EXPECT_EQ(files[3].path, root_ / "bin/mpiexec.hydra");
  EXPECT_EQ(files[4].path, root_ / "bin/mpirun.openmpi");
  EXPECT_EQ(files[5].path, root_ / "bin/mpirun");
}

TEST_F(InfoFiles, AreFoundWhereInstalledAndOtherwiseReportedMissing) {
  make("bin/mpiactor-info");
  make("lib/libmpiactor.so");
  const std::vector<FileFact> files = find_files(root_ / "bin/mpiactor-info", "");
  ASSERT_EQ(files.size(), 6u);
  EXPECT_EQ(files[0].path, root_ / "lib/libmpiactor.so");
  for (std::size_t i = 1; i < files.size(); ++i) EXPECT_FALSE(files[i].path) << files[i].what;
}

TEST(InfoJson, HoldsAllFactsAndNullForWhatIsAbsent) {
  const Facts facts = gather_facts({{"MPIACTOR_PUSH", "1G"}, {"MPIACTOR_PUHS", "1"}}, "/x/y", "");
  const auto json = nlohmann::json::parse(to_json(facts));
  EXPECT_EQ(json["machine"]["cores"], facts.machine.cores);
  EXPECT_GE(json["machine"]["cores"], 1);
  EXPECT_GE(json["machine"]["numa_domains"], 1);
  EXPECT_EQ(json["settings"].size(), setting_rows().size());
  for (const auto& row : json["settings"]) {
    const bool is_wrong = row["name"] == "MPIACTOR_PUSH";
    EXPECT_EQ(row["error"].is_null(), !is_wrong) << row;
    EXPECT_EQ(row["from"], is_wrong ? "environment" : "default") << row;
  }
  EXPECT_EQ(json["warnings"].size(), 1u);
  EXPECT_EQ(json["files"]["libmpiactor.so"], nullptr);
  ASSERT_EQ(json["algorithms"].size(), inter::algorithms().size());
  EXPECT_EQ(json["algorithms"][0]["name"], inter::algorithms()[0].name);
  EXPECT_EQ(json["algorithms"][0]["source"], inter::algorithms()[0].source);
}

TEST(InfoJson, SurvivesValuesThatAreNoUtf8) {
  const Facts facts = gather_facts({{"MPIACTOR_BCAST", "\xff\xfe"}}, "/x/y", "");
  EXPECT_TRUE(nlohmann::json::accept(to_json(facts)));
}

TEST(InfoMarkdown, KeepsBarsOutOfTheTablesColumns) {
  SettingFact fact;
  fact.name = "NAME";
  fact.allowed = "a|b";
  fact.help = "one or the other";
  EXPECT_EQ(settings_as_markdown({fact}),
            "| name | default | allowed | meaning |\n|---|---|---|---|\n"
            "| `NAME` | (empty) | `a\\|b` | one or the other |\n");
}

TEST(InfoText, BreaksLongLinesBetweenWords) {
  Facts facts;
  SettingFact fact;
  fact.name = "NAME";
  for (int i = 0; i < 60; ++i) fact.help += (i ? " word" : "word");
  facts.settings.push_back(fact);
  const std::string text = to_text(facts);
  std::size_t words = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u);
    std::istringstream parts(line);
    for (std::string part; parts >> part;) words += part == "word";
  }
  EXPECT_EQ(words, 60u);
}

}  // namespace
}  // namespace mpiactor::info
