#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "actor/polite/polite.h"
#include "actor/polite/setting_values.h"

namespace mpiactor::polite {
namespace {

// Measured with 4 and 16 ranks on 2 cores: barriers and broadcasts take the same time for every
// value from 1 to 20 within noise; 50 costs 15 % more.
constexpr int kDefaultPolls = 4;
constexpr int kBadSettingStatus = 2;

/// What the environment says; null where it says nothing.
const char* value_of(const SettingValues& setting) {
  const char* const value = std::getenv(setting.name);
  if (value == nullptr || *value == '\0') return nullptr;
  if (setting.takes(value)) return value;
  std::fprintf(stderr, "mpiactor: %s=%s: allowed are %s\n", setting.name, value, setting.allowed);
  _exit(kBadSettingStatus);
}

bool is_set_to(const SettingValues& setting, const char* word) {
  const char* const value = value_of(setting);
  return value != nullptr && is_equal(value, word);
}

constinit Settings current{
    .polls_before_yield = kDefaultPolls, .skip_flush = false, .print_stats = false};
constinit Counters totals;

// On load, so that a wrong value shows before the job starts.
__attribute__((constructor)) void read_settings() {
  const char* const polls = value_of(kPolls);
  current = {
      .polls_before_yield = polls ? std::atoi(polls) : kDefaultPolls,
      .skip_flush = is_set_to(kFinalize, "skip"),
      .print_stats = is_set_to(kStats, "1"),
  };
}

__attribute__((destructor)) void print_counters() {
  if (!settings().print_stats) return;
  std::fprintf(stderr, "mpiactor-polite: pid=%d program=%s yields=%llu skipped_flushes=%llu\n",
               static_cast<int>(getpid()), program_invocation_short_name,
               static_cast<unsigned long long>(counters().yields.load()),
               static_cast<unsigned long long>(counters().skipped_flushes.load()));
}

}  // namespace

const Settings& settings() { return current; }

Counters& counters() { return totals; }

}  // namespace mpiactor::polite
