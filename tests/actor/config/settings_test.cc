#include "actor/config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mpiactor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const SettingTexts& texts) {
  try {
    parse_settings(texts);
  } catch (const SettingError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Settings, DefaultsAreThoseOfTheTable) {
  const Settings settings = parse_settings({});
  EXPECT_EQ(settings.leader, LeaderMode::kCompetitive);
  EXPECT_EQ(settings.candidates, 8);
  EXPECT_EQ(settings.bcast, "auto");
  EXPECT_EQ(settings.segment_bytes, 0u);
  EXPECT_EQ(settings.shm_limit_bytes, 8u << 20);
  EXPECT_EQ(settings.verbose, Verbosity::kWarn);
  EXPECT_FALSE(settings.check);
}

TEST(Settings, EveryDefaultIsAllowed) {
  for (const SettingRow& row : setting_rows()) {
    EXPECT_EQ(message_of({{row.name, row.default_text}}), "no error") << row.name;
  }
}

TEST(Settings, ValuesAreTaken) {
  const Settings settings = parse_settings({{"MPIACTOR_LEADER", "static"},
                                            {"MPIACTOR_CANDIDATES", "3"},
                                            {"MPIACTOR_BCAST", "ring"},
                                            {"MPIACTOR_SEGMENT", "64K"},
                                            {"MPIACTOR_SHM_LIMIT", "1m"},
                                            {"MPIACTOR_NODES", "cyclic:4"},
                                            {"MPIACTOR_WAIT", "spin"},
                                            {"MPIACTOR_VERBOSE", "info"},
                                            {"MPIACTOR_CHECK", "1"}});
  EXPECT_EQ(settings.leader, LeaderMode::kStatic);
  EXPECT_EQ(settings.candidates, 3);
  EXPECT_EQ(settings.bcast, "ring");
  EXPECT_EQ(settings.segment_bytes, 65536u);
  EXPECT_EQ(settings.shm_limit_bytes, 1u << 20);
  EXPECT_EQ(settings.nodes, "cyclic:4");
  EXPECT_EQ(settings.wait, WaitMode::kSpin);
  EXPECT_EQ(settings.verbose, Verbosity::kInfo);
  EXPECT_TRUE(settings.check);
}

TEST(Settings, MemoryModesMayNamePeers) {
  const auto mode = [](const char* text) {
    return parse_settings({{"MPIACTOR_MEMORY", text}}).memory;
  };
  EXPECT_FALSE(mode("fast").saving);
  EXPECT_EQ(mode("fast").large_peers, std::nullopt);
  EXPECT_FALSE(mode("fast").is_limited());
  EXPECT_FALSE(mode("fast:12").saving);
  EXPECT_EQ(mode("fast:12").large_peers, 12);
  EXPECT_TRUE(mode("fast:12").is_limited());
  EXPECT_TRUE(mode("saving").saving);
  EXPECT_EQ(mode("saving").large_peers, std::nullopt);
  EXPECT_TRUE(mode("saving").is_limited());
  EXPECT_TRUE(mode("saving:0").saving);
  EXPECT_EQ(mode("saving:0").large_peers, 0);
  for (const std::string text :
       {"", "slow", "saving:", "saving:-1", "fast:1048577", "fast:4x", "saving:4:4", ":4"}) {
    EXPECT_EQ(message_of({{"MPIACTOR_MEMORY", text}}),
              "MPIACTOR_MEMORY='" + text +
                  "' is not allowed; allowed: fast|saving|fast:PEERS|saving:PEERS, PEERS "
                  "0..1048576");
  }
}

TEST(Settings, WrongValuesNameSettingValueAndChoices) {
  EXPECT_EQ(message_of({{"MPIACTOR_LEADER", "first"}}),
            "MPIACTOR_LEADER='first' is not allowed; allowed: competitive|static|off");
  EXPECT_THAT(message_of({{"MPIACTOR_BCAST", "quadratic"}}), HasSubstr("allowed: auto|linear|"));
  EXPECT_THAT(message_of({{"MPIACTOR_SEGMENT", "64Q"}}), HasSubstr("unknown suffix"));
  EXPECT_THAT(message_of({{"MPIACTOR_SEGMENT", "1"}}), HasSubstr("auto|1K..1G"));
  EXPECT_THAT(message_of({{"MPIACTOR_CANDIDATES", "0"}}), HasSubstr("1..64"));
  EXPECT_THAT(message_of({{"MPIACTOR_CANDIDATES", "8x"}}), HasSubstr("'8x'"));
  EXPECT_THAT(message_of({{"MPIACTOR_SHM_LIMIT", "-1"}}), HasSubstr("not a number"));
  EXPECT_THAT(message_of({{"MPIACTOR_NODES", "blocks:4"}}),
              HasSubstr("'blocks:4' is not a number"));
  EXPECT_THAT(message_of({{"MPIACTOR_CHECK", "yes"}}), HasSubstr("0|1"));
  EXPECT_THAT(message_of({{"MPIACTOR_LEADER", ""}}), HasSubstr("MPIACTOR_LEADER=''"));
}

TEST(Settings, BytesTakeSuffixes) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("64K"), 65536u);
  EXPECT_EQ(parse_bytes("3m"), 3u << 20);
  EXPECT_EQ(parse_bytes("2G"), 2ull << 30);
  for (const char* text :
       {"", "K", "1KB", "1.5M", " 1", "99999999999999999999", "18446744073709551615K"}) {
    EXPECT_THROW(parse_bytes(text), SettingError) << text;
  }
  EXPECT_EQ(format_bytes(65536), "64K");
  EXPECT_EQ(format_bytes(65537), "65537");
  EXPECT_EQ(format_bytes(3u << 20), "3M");
}

TEST(Settings, UnknownNamesAreWarnedAboutWithTheNearest) {
  EXPECT_THAT(
      unknown_setting_warnings({{"MPIACTOR_LEDER", "static"}, {"MPIACTOR_LEADER", "static"}}),
      ElementsAre("MPIACTOR_LEDER is not a setting; did you mean MPIACTOR_LEADER?"));
  EXPECT_THAT(unknown_setting_warnings({{"MPIACTOR_SHMLIMIT", "0"}}),
              ElementsAre(HasSubstr("MPIACTOR_SHM_LIMIT")));
  EXPECT_THAT(unknown_setting_warnings({{"MPIACTOR_POLITE_FINALIZE", "skip"},
                                        {"MPIACTOR_POLITE_POLLS", "4"},
                                        {"MPIACTOR_POLITE_STATS", "1"}}),
              ElementsAre());
  EXPECT_THAT(unknown_setting_warnings({{"MPIACTOR_POLITE_POLS", "4"}}),
              ElementsAre(HasSubstr("MPIACTOR_POLITE_POLLS")));
}

TEST(Settings, TheEnvironmentIsReadByPrefix) {
  const char* const environment[] = {"HOME=/root",    "MPIACTOR_LEADER=off", "MPIACTOR_NODES=0,0,1",
                                     "XMPIACTOR_A=1", "MPIACTOR_BROKEN",     nullptr};
  const SettingTexts texts = settings_from_environment(environment);
  EXPECT_EQ(texts, (SettingTexts{{"MPIACTOR_LEADER", "off"}, {"MPIACTOR_NODES", "0,0,1"}}));
}

TEST(Settings, EncodingKeepsEveryValue) {
  const SettingTexts texts = {{"MPIACTOR_LEADER", "static"}, {"MPIACTOR_SEGMENT", "8K"}};
  const SettingTexts decoded = decode_settings(encode_settings(texts));
  EXPECT_EQ(decoded.size(), setting_rows().size());
  EXPECT_EQ(decoded.at("MPIACTOR_LEADER"), "static");
  EXPECT_EQ(decoded.at("MPIACTOR_SEGMENT"), "8K");
  EXPECT_EQ(describe_difference(texts, decoded), "");
  EXPECT_EQ(describe_difference({}, decoded),
            "MPIACTOR_LEADER='competitive' here, 'static' on rank 0");
}

}  // namespace
}  // namespace mpiactor
