// Every setting of the runtime, once: name, default, allowed values, help text.
//
// Settings come from environment variables MPIACTOR_*. Rank 0's are used by all ranks.
#ifndef MPIACTOR_ACTOR_CONFIG_SETTINGS_H_
#define MPIACTOR_ACTOR_CONFIG_SETTINGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "inter/registry.h"

namespace mpiactor {

enum class LeaderMode { kCompetitive, kStatic, kOff };
enum class Verbosity { kQuiet, kWarn, kInfo };
enum class SingleCopy { kAuto, kOff };
enum class WaitMode { kAuto, kSpin, kYield };
enum class ReduceOrder { kFixed, kArrival };

// Which peers get large buffers between nodes, see inter/peer_buffers.h.
struct MemoryMode {
  static constexpr int kPeersOfSaving = 8;
  static constexpr int kUsesBeforeLarge = 8;
  static constexpr int kMostPeers = 1 << 20;
  bool saving = false;
  std::optional<int> large_peers;  // nothing: all in fast mode, kPeersOfSaving in saving mode

  bool is_limited() const { return saving || large_peers; }
};

struct Settings {
  LeaderMode leader = LeaderMode::kCompetitive;
  int candidates = 8;          // members of a node that may become leader
  std::string bcast = "auto";  // or a registered algorithm; so are the next ones
  std::string reduce = "auto";
  std::string allreduce = "auto";
  std::string allgather = "auto";
  std::string alltoall = "auto";
  ReduceOrder reduce_order = ReduceOrder::kFixed;  // in which contributions are combined
  bool nonblocking = true;                         // MPI_Ibcast and the like are handled
  bool gpu = true;                                 // memory of GPUs is looked for
  bool never_worse = true;  // what the MPI library does as quickly is left to it
  // Where members of a node can read each other's memory.
  SingleCopy single_copy = SingleCopy::kAuto;
  std::uint64_t segment_bytes = 0;  // 0: chosen per message
  int window = 4;                   // segments under way per transfer
  MemoryMode memory;                // how many peers have such a window to combine from
  // Longest message that is pushed to all candidates; nothing: see Container::push_limit().
  std::optional<std::uint64_t> push_bytes;
  std::uint64_t shm_limit_bytes = 0;  // staging of one container on one node; 0: no hybrid path
  std::string torus;                  // see torus_spec.h; empty: nodes lie on a line
  std::string tuning;                 // path of a tuning table; empty: none
  std::string nodes;                  // see node_spec.h; empty: the machine as it is
  WaitMode wait = WaitMode::kAuto;
  int warmup_calls = 1;  // calls on a communicator before its container is made
  Verbosity verbose = Verbosity::kWarn;
  bool check = false;
  std::string trace;  // path of the trace file; empty: nothing is recorded

  // The algorithm between nodes, or "auto".
  const std::string& algorithm(inter::Collective collective) const;
};

// One row of the table; `info` prints it.
struct SettingRow {
  const char* name;
  std::string default_text;
  std::string allowed;
  const char* help;
  void (*parse)(const SettingRow& row, std::string_view text, Settings& out);
};

const std::vector<SettingRow>& setting_rows();

// Names setting, value and what is allowed.
class SettingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "64K", "1M", "2G", "4096" -> bytes. Throws SettingError("...").
std::uint64_t parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);

// Texts of the settings that are present: name -> value.
using SettingTexts = std::map<std::string, std::string, std::less<>>;

// MPIACTOR_* of an environment ("NAME=VALUE" strings, nullptr-terminated).
SettingTexts settings_from_environment(const char* const* environment);

// Missing ones take their defaults; unknown names are ignored here (see unknown_setting_warnings).
// Throws SettingError at the first wrong value.
Settings parse_settings(const SettingTexts& texts);

// One warning a name: "MPIACTOR_LEDER is not a setting; did you mean MPIACTOR_LEADER?"
std::vector<std::string> unknown_setting_warnings(const SettingTexts& texts);

// For sending rank 0's settings to all: "NAME=VALUE\n"...
std::string encode_settings(const SettingTexts& texts);
SettingTexts decode_settings(std::string_view encoded);

// "MPIACTOR_SEGMENT=64K here, 4K on rank 0"; empty where the two are equal.
std::string describe_difference(const SettingTexts& own, const SettingTexts& rank0);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONFIG_SETTINGS_H_
