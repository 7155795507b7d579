// Files that settings name, and text of others on its way to a terminal.
#ifndef MPIACTOR_ACTOR_CONFIG_SETTINGS_FILE_H_
#define MPIACTOR_ACTOR_CONFIG_SETTINGS_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace mpiactor {

inline constexpr std::size_t kLongestSettingsFile = 64 << 20;

// What a regular file holds, kLongestSettingsFile bytes at most: no other kind can make the reader
// wait. Throws SettingError with the reason alone.
std::string read_settings_file(const std::string& path);

// Without control characters ('?' for each) and not longer than a few lines: values may come from
// anywhere, and messages are one line each.
std::string printable(std::string_view text);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONFIG_SETTINGS_FILE_H_
