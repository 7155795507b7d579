// Facts as text for people, JSON for programs, and the table of docs/settings.md.
#ifndef MPIACTOR_TOOLS_INFO_FORMAT_H_
#define MPIACTOR_TOOLS_INFO_FORMAT_H_

#include <string>

#include "tools/info_facts.h"

namespace mpiactor::info {

std::string to_text(const Facts& facts);

// An object with version, machine, shared_memory, settings, polite_errors, warnings, algorithms,
// rules (by collective, what they can name), files. What is absent is null.
std::string to_json(const Facts& facts);

// Defaults alone, not the environment: the same everywhere.
std::string settings_as_markdown(const std::vector<SettingFact>& settings);

}  // namespace mpiactor::info

#endif  // MPIACTOR_TOOLS_INFO_FORMAT_H_
