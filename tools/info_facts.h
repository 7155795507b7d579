// What the runtime would find here: its settings, the machine, its algorithms, its files.
#ifndef MPIACTOR_TOOLS_INFO_FACTS_H_
#define MPIACTOR_TOOLS_INFO_FACTS_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "actor/config/settings.h"
#include "actor/container/machine.h"
#include "inter/tuning.h"

namespace mpiactor::info {

// One setting of the runtime with what the environment says of it.
struct SettingFact {
  std::string name;
  std::string default_text;
  std::string allowed;
  std::string help;
  std::optional<std::string> given;  // by the environment
  std::string error;                 // of the given value; empty: it is allowed

  const std::string& value() const { return given ? *given : default_text; }
};

struct AlgorithmFact {
  std::string collective;
  std::string name;
  std::string description;
  std::string source;
};

// A file that belongs to the system; `path` is absent where it was not found.
struct FileFact {
  std::string what;
  std::optional<std::filesystem::path> path;
};

struct SharedMemoryFact {
  std::string folder;
  std::optional<std::uint64_t> free_bytes;  // absent: the folder cannot be looked at
};

struct Facts {
  std::string version;
  Machine machine;
  SharedMemoryFact shared_memory;
  std::vector<SettingFact> settings;
  std::vector<std::string> polite_errors;  // of the polite preload's settings
  std::vector<std::string> warnings;       // names that are no settings
  std::vector<AlgorithmFact> algorithms;
  std::vector<FileFact> files;

  // Whether the runtime would stop a job that has these settings.
  bool has_errors() const;
};

// Files that they name are read, as the runtime does.
std::vector<SettingFact> setting_facts(const SettingTexts& given);

// Of MPIACTOR_TUNING's file, where there is one. Throws SettingError or inter::TuningError.
inter::Tuning read_tuning(const Settings& settings);

// Libraries are looked for around `executable`, as the launcher does: in the build tree or
// installed. `search_path`: folders with programs, separated by colons.
std::vector<FileFact> find_files(const std::filesystem::path& executable,
                                 const std::string& search_path);

// All of it, of this machine and process.
Facts gather_facts(const SettingTexts& given, const std::filesystem::path& executable,
                   const std::string& search_path);

}  // namespace mpiactor::info

#endif  // MPIACTOR_TOOLS_INFO_FACTS_H_
