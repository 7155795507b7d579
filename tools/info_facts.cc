#include "tools/info_facts.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <system_error>

#include "actor/config/settings_file.h"
#include "actor/config/torus_spec.h"
#include "actor/polite/setting_values.h"
#include "actor/version.h"
#include "inter/registry.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor::info {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> first_existing(std::initializer_list<fs::path> candidates) {
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const fs::path real = fs::canonical(candidate, error);
    if (!error && fs::is_regular_file(real, error)) return real;
  }
  return std::nullopt;
}

FileFact find_program(const std::string& name, const std::string& search_path) {
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0) return {name, candidate};
  }
  return {name, std::nullopt};
}

SharedMemoryFact look_at_shared_memory() {
  SharedMemoryFact fact{"/dev/shm", std::nullopt};
  struct statvfs status;
  if (statvfs(fact.folder.c_str(), &status) == 0) {
    fact.free_bytes = std::uint64_t{status.f_bavail} * status.f_frsize;
  }
  return fact;
}

std::string read_file(const char* setting, const std::string& path) {
  try {
    return read_settings_file(path);
  } catch (const SettingError& error) {
    throw SettingError(std::string(setting) + ": cannot read '" + path + "': " + error.what());
  }
}

// Throws where the runtime would refuse the file that the setting names.
void check_file(const std::string& setting, const Settings& settings) {
  if (setting == "MPIACTOR_TUNING") {
    read_tuning(settings);
  } else if (setting == "MPIACTOR_TORUS" && settings.torus.starts_with(kTorusFilePrefix)) {
    const std::string path = settings.torus.substr(kTorusFilePrefix.size());
    std::istringstream text(read_file("MPIACTOR_TORUS", path));
    inter::CoordinateFile(text, path);
  }
}

std::vector<std::string> polite_errors(const SettingTexts& given) {
  std::vector<std::string> errors;
  for (const polite::SettingValues& setting : polite::kAllSettingValues) {
    const auto found = given.find(setting.name);
    if (found == given.end() || setting.takes(found->second.c_str())) continue;
    errors.push_back(found->first + "=" + found->second + ": allowed are " + setting.allowed);
  }
  return errors;
}

}  // namespace

inter::Tuning read_tuning(const Settings& settings) {
  if (settings.tuning.empty()) return {};
  return inter::Tuning::parse(read_file("MPIACTOR_TUNING", settings.tuning), settings.tuning);
}

bool Facts::has_errors() const {
  return !polite_errors.empty() ||
         std::any_of(settings.begin(), settings.end(),
                     [](const SettingFact& setting) { return !setting.error.empty(); });
}

std::vector<SettingFact> setting_facts(const SettingTexts& given) {
  std::vector<SettingFact> facts;
  for (const SettingRow& row : setting_rows()) {
    SettingFact fact{row.name, row.default_text, row.allowed, row.help, std::nullopt, ""};
    if (const auto found = given.find(row.name); found != given.end()) {
      fact.given = found->second;
      try {
        Settings settings;
        row.parse(row, found->second, settings);
        check_file(row.name, settings);
      } catch (const std::exception& error) {
        fact.error = error.what();
      }
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

std::vector<FileFact> find_files(const fs::path& executable, const std::string& search_path) {
  const fs::path above = executable.parent_path() / "..";
  const auto library = [&](const char* name, const char* built_as) {
    return FileFact{name, first_existing({above / "actor" / built_as, above / "lib" / name,
                                          above / "lib" / "mpiactor" / name})};
  };
  return {
      library("libmpiactor.so", "libmpiactor.so"),
      library("libmpiactor_ompi.so", "libmpiactor_ompi.so"),
      library("libmpiactor_polite.so", "polite/libmpiactor_polite.so"),
      find_program("mpiexec.hydra", search_path),
      find_program("mpirun.openmpi", search_path),
      find_program("mpirun", search_path),
  };
}

Facts gather_facts(const SettingTexts& given, const fs::path& executable,
                   const std::string& search_path) {
  Facts facts;
  facts.version = kVersion;
  facts.machine = detect_machine();
  facts.shared_memory = look_at_shared_memory();
  facts.settings = setting_facts(given);
  facts.polite_errors = polite_errors(given);
  facts.warnings = unknown_setting_warnings(given);
  for (const inter::Algorithm& algorithm : inter::algorithms()) {
    facts.algorithms.push_back({inter::collective_name(algorithm.collective), algorithm.name,
                                algorithm.description, algorithm.source});
  }
  facts.files = find_files(executable, search_path);
  return facts;
}

}  // namespace mpiactor::info
