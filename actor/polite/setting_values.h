// The settings of the polite preload and what they may be; mpiactor-info checks them, too.
#ifndef MPIACTOR_ACTOR_POLITE_SETTING_VALUES_H_
#define MPIACTOR_ACTOR_POLITE_SETTING_VALUES_H_

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace mpiactor::polite {

struct SettingValues {
  const char* name;
  const char* allowed;
  bool (*allows)(const char* value);

  /// An empty value is the default.
  bool takes(const char* value) const { return *value == '\0' || allows(value); }
};

inline bool is_number_of_polls(const char* value) {
  constexpr long kMost = 1'000'000;
  char* end = nullptr;
  errno = 0;
  const long number = std::strtol(value, &end, 10);
  return errno == 0 && *end == '\0' && number >= 0 && number <= kMost;
}

inline bool is_equal(const char* value, const char* word) { return std::strcmp(value, word) == 0; }

inline constexpr SettingValues kPolls = {"MPIACTOR_POLITE_POLLS", "0 (never) to 1000000",
                                         is_number_of_polls};
inline constexpr SettingValues kFinalize = {
    "MPIACTOR_POLITE_FINALIZE", "flush, skip",
    [](const char* value) { return is_equal(value, "flush") || is_equal(value, "skip"); }};
inline constexpr SettingValues kStats = {"MPIACTOR_POLITE_STATS", "0, 1", [](const char* value) {
                                           return is_equal(value, "0") || is_equal(value, "1");
                                         }};
inline constexpr SettingValues kAllSettingValues[] = {kPolls, kFinalize, kStats};

}  // namespace mpiactor::polite

#endif  // MPIACTOR_ACTOR_POLITE_SETTING_VALUES_H_
