// Values and files that nobody wrote on purpose: every one is taken, or refused with the error that
// its reader promises. Nothing else is thrown, nothing crashes, nothing waits.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "actor/config/node_spec.h"
#include "actor/config/settings.h"
#include "actor/config/settings_file.h"
#include "actor/config/torus_spec.h"
#include "inter/tofu_algos/tofu_map.h"
#include "inter/tofu_algos/torus.h"
#include "inter/tuning.h"

namespace mpiactor {
namespace {

constexpr std::string_view kPieces[] = {"0",          "1",          "-1",    "99999999999999999999",
                                        "2147483647", "4294967296", "1e999", "x",
                                        "m",          ",",          ":",     "=",
                                        "\n",         "\xff",       "{",     "[",
                                        "\"",         "..",         "K",     "G",
                                        "#",          " ",          "ppn:",  "cyclic:",
                                        "]",          "null"};

// Some of `text` is gone, doubled, or replaced by what readers stumble over.
std::string spoiled(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(6), text.size() - at);
    switch (random() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.replace(at, length, kPieces[below(std::size(kPieces))]);
        break;
      default:
        text.insert(at, 1, static_cast<char>(random()));
    }
  }
  return text;
}

// How many of many spoiled versions of `good` were refused by an error of type Error; one of
// another type fails the test.
template <typename Error>
int refused(const std::string& good, const std::function<void(const std::string&)>& read) {
  constexpr int kTries = 1000;
  std::mt19937 random(20110707);
  int count = 0;
  for (int i = 0; i < kTries; ++i) {
    const std::string text = spoiled(good, random);
    try {
      read(text);
    } catch (const Error& error) {
      ++count;
      EXPECT_STRNE(error.what(), "");
    } catch (const std::exception& error) {
      ADD_FAILURE() << "'" << printable(text) << "': " << error.what();
    }
  }
  return count;
}

TEST(HostileSettings, EverySettingTakesOrRefuses) {
  for (const SettingRow& row : setting_rows()) {
    const std::string good = row.default_text[0] ? row.default_text : "8x6,ppn:2";
    const int count = refused<SettingError>(good, [&](const std::string& text) {
      parse_settings({{row.name, text}});
    });
    const bool is_path =
        std::string(row.name) == "MPIACTOR_TUNING" || std::string(row.name) == "MPIACTOR_TRACE";
    EXPECT_EQ(count == 0, is_path) << row.name;
  }
}

TEST(HostileSettings, AValueCannotBecomeAnotherSetting) {
  const SettingTexts texts = {{"MPIACTOR_BCAST", "auto\nMPIACTOR_CHECK=1"},
                              {"MPIACTOR_TRACE", "a\nb=c"}};
  const SettingTexts decoded = decode_settings(encode_settings(texts));
  EXPECT_EQ(decoded.size(), setting_rows().size());
  EXPECT_EQ(decoded.at("MPIACTOR_BCAST"), "auto\nMPIACTOR_CHECK=1");
  EXPECT_EQ(decoded.at("MPIACTOR_CHECK"), "0");
  EXPECT_EQ(decoded.at("MPIACTOR_TRACE"), "a\nb=c");
  EXPECT_THROW(parse_settings(decoded), SettingError);
}

TEST(HostileSettings, NodesOfRanks) {
  for (const char* good : {"4", "ppn:2", "cyclic:4", "0,0,1,1,2,2,3,3"}) {
    EXPECT_GT(refused<std::invalid_argument>(good,
                                             [](const std::string& text) {
                                               const std::vector<int> nodes =
                                                   nodes_of_ranks(text, 8);
                                               EXPECT_EQ(nodes.size(), 8u);
                                             }),
              0);
  }
}

constexpr const char* kBox = "# a box\nshape 2x2m\nh0 0 0\nh1 1 0\nh2 0 1\nh3 1 1\n";
constexpr const char* kTofu =
    "tofu 2x1x1x2x1x1\nh0 0 0 0 0 0 0\nh1 1 0 0 0 0 0\n"
    "h2 0 0 0 1 0 0\nh3 1 0 0 1 0 0\n";
const std::vector<std::string> kHosts = {"h0", "h1", "h2", "h3"};

void place_hosts(const std::string& text) {
  std::istringstream in(text);
  const inter::CoordinateFile file(in, "file");
  EXPECT_EQ(file.view_of(kHosts).shape.nodes(), 4);
}

TEST(HostileFiles, Coordinates) {
  for (const char* good : {kBox, kTofu}) {
    place_hosts(good);
    EXPECT_GT(refused<inter::TorusError>(good, place_hosts), 0);
  }
  // Numbers whose sums or products would not fit.
  const std::string large = std::to_string(std::numeric_limits<int>::max());
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"h0 0\nh1 " + large + " 0 0\nh2 1\nh3 2\n",
            "file:2: host 'h1': " + large + " is too large; coordinates are below 1048576"},
           {"h0 0 0 0 0 0 0\nh1 1024 0 0 0 0 0\nh2 1 0 0 0 0 0\nh3 2 0 0 0 0 0\n",
            "file:2: host 'h1': 1024 is too large; coordinates are below 1024"},
           {"tofu " + large + "x1x1x1x1x1\nh0 0 0 0 0 0 0\n",
            "file:1: '" + large + "x1x1x1x1x1' is not six extents, as in 24x18x16x2x3x2"}}) {
    try {
      place_hosts(text);
      ADD_FAILURE() << text;
    } catch (const inter::TorusError& error) {
      EXPECT_EQ(error.what(), reason);
    }
  }
}

constexpr const char* kTable =
    R"({"format": "mpiactor-tuning-1", "link": {"latency_us": 1.5, "network": "torus"},
        "bcast": [{"nodes": "2..8", "shape": "2x2", "up_to": "64K", "algorithm": "chain",
                   "segment": 8192}]})";

void read_table(const std::string& text) { inter::Tuning::parse(text, "table"); }

TEST(HostileFiles, Tables) {
  read_table(kTable);
  EXPECT_GT(refused<inter::TuningError>(kTable, read_table), 0);
  // Deeper than any stack, in places where a value is shown in the error.
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_THROW(read_table(deep), inter::TuningError);
  for (const std::string key : {"latency_us", "network"}) {
    EXPECT_THROW(
        read_table(R"({"format": "mpiactor-tuning-1", "link": {")" + key + "\": " + deep + "}}"),
        inter::TuningError);
  }
  EXPECT_THROW(read_table(R"({"format": "mpiactor-tuning-1", "link": {"latency_us": 1e999}})"),
               inter::TuningError);
}

std::string reason(const std::string& path) {
  try {
    read_settings_file(path);
  } catch (const SettingError& error) {
    return error.what();
  }
  return {};
}

TEST(HostileFiles, OnlyRegularOnesAreRead) {
  const std::string directory = getenv("TEST_TMPDIR");
  std::ofstream(directory + "/good", std::ios::binary) << std::string("a\0b", 3);
  EXPECT_EQ(read_settings_file(directory + "/good"), std::string("a\0b", 3));
  ASSERT_EQ(mkfifo((directory + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(reason(directory + "/pipe"), "not a regular file");
  EXPECT_EQ(reason(directory), "not a regular file");
  EXPECT_EQ(reason("/dev/zero"), "not a regular file");
  EXPECT_EQ(reason(directory + "/absent"), "No such file or directory");
  std::ofstream(directory + "/long");
  ASSERT_EQ(truncate((directory + "/long").c_str(), kLongestSettingsFile + 1), 0);
  EXPECT_EQ(reason(directory + "/long"), "longer than 64 MiB");
}

TEST(HostileText, IsShownInOneLine) {
  EXPECT_EQ(printable("a\nb\033[2Jc\x7f"), "a?b?[2Jc?");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(printable(std::string(100000, 'x')), std::string(2000, 'x').append("..."));
}

}  // namespace
}  // namespace mpiactor
