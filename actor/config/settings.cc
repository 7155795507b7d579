#include "actor/config/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "inter/lasting.h"
#include "inter/registry.h"

namespace mpiactor {
namespace {

constexpr std::string_view kPrefix = "MPIACTOR_";

// No value in an environment can hold it.
constexpr char kEndOfEntry = '\0';

// What other parts of the system read from the same environment: actor/polite, and tests.
constexpr std::array<std::string_view, 3> kPoliteNames = {
    "MPIACTOR_POLITE_POLLS", "MPIACTOR_POLITE_FINALIZE", "MPIACTOR_POLITE_STATS"};
constexpr std::string_view kTestsPrefix = "MPIACTOR_TEST_";

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

std::string text_or_default(const SettingTexts& texts, const SettingRow& row) {
  const auto found = texts.find(row.name);
  return found == texts.end() ? row.default_text : found->second;
}

}  // namespace

const std::string& Settings::algorithm(inter::Collective collective) const {
  static inter::Lasting<const std::string> automatic("auto");
  switch (collective) {
    case inter::Collective::kBcast:
      return bcast;
    case inter::Collective::kReduce:
      return reduce;
    case inter::Collective::kAllreduce:
      return allreduce;
    case inter::Collective::kReduceScatter:
      return *automatic;
    case inter::Collective::kAllgather:
      return allgather;
    case inter::Collective::kAlltoall:
      return alltoall;
  }
  return *automatic;
}

std::uint64_t parse_bytes(std::string_view text) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end == text.data()) throw SettingError("not a number of bytes");
  int shift = 0;
  if (end != last) {
    switch (*end) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'm':
      case 'M':
        shift = 20;
        break;
      case 'g':
      case 'G':
        shift = 30;
        break;
      default:
        throw SettingError("unknown suffix, only K, M and G");
    }
    if (++end != last) throw SettingError("unknown suffix, only K, M and G");
  }
  if (value > (~std::uint64_t{0} >> shift)) throw SettingError("too large");
  return value << shift;
}

std::string format_bytes(std::uint64_t bytes) {
  for (const auto& [shift, suffix] : {std::pair{30, "G"}, {20, "M"}, {10, "K"}}) {
    if (bytes >> shift && bytes % (std::uint64_t{1} << shift) == 0) {
      return std::to_string(bytes >> shift) + suffix;
    }
  }
  return std::to_string(bytes);
}

SettingTexts settings_from_environment(const char* const* environment) {
  SettingTexts texts;
  for (; environment && *environment; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || !entry.starts_with(kPrefix)) continue;
    texts.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return texts;
}

Settings parse_settings(const SettingTexts& texts) {
  Settings settings;
  for (const SettingRow& row : setting_rows()) {
    row.parse(row, text_or_default(texts, row), settings);
  }
  return settings;
}

std::vector<std::string> unknown_setting_warnings(const SettingTexts& texts) {
  std::vector<std::string> warnings;
  for (const auto& entry : texts) {
    const std::string& name = entry.first;
    if (name.starts_with(kTestsPrefix)) continue;
    std::vector<std::string_view> known(kPoliteNames.begin(), kPoliteNames.end());
    for (const SettingRow& row : setting_rows()) known.emplace_back(row.name);
    const auto nearest =
        std::min_element(known.begin(), known.end(), [&](std::string_view a, std::string_view b) {
          return edit_distance(name, a) < edit_distance(name, b);
        });
    if (name == *nearest) continue;
    warnings.push_back(name + " is not a setting; did you mean " + std::string(*nearest) + "?");
  }
  return warnings;
}

std::string encode_settings(const SettingTexts& texts) {
  std::string encoded;
  for (const SettingRow& row : setting_rows()) {
    encoded += std::string(row.name) + "=" + text_or_default(texts, row) + kEndOfEntry;
  }
  return encoded;
}

SettingTexts decode_settings(std::string_view encoded) {
  SettingTexts texts;
  while (!encoded.empty()) {
    const std::string_view line = encoded.substr(0, encoded.find(kEndOfEntry));
    encoded.remove_prefix(std::min(encoded.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      texts.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  return texts;
}

std::string describe_difference(const SettingTexts& own, const SettingTexts& rank0) {
  for (const SettingRow& row : setting_rows()) {
    const std::string mine = text_or_default(own, row);
    const std::string theirs = text_or_default(rank0, row);
    if (mine != theirs)
      return std::string(row.name) + "='" + mine + "' here, '" + theirs + "' on rank 0";
  }
  return {};
}

}  // namespace mpiactor
