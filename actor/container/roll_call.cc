#include "actor/container/roll_call.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "actor/container/world.h"

namespace mpiactor {
namespace {

using Milliseconds = std::chrono::milliseconds;

// Where launchers tell a process which rank it is. A batch script of Slurm's has its own 0, which
// another launcher hands on: the last one that fits counts.
constexpr const char* kRankVariables[] = {"SLURM_PROCID", "PMI_RANK", "PMIX_RANK",
                                          "OMPI_COMM_WORLD_RANK"};
// Parents of ranks, wherever their own variables come from.
constexpr const char* kLaunchers[] = {"hydra_pmi_proxy", "mpiexec", "mpirun", "slurmstepd",
                                      "prted",           "orted",   "palsd",  "pbs_mom"};

std::string read_process_file(int process, const char* name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// What a process had in this variable when it began; nothing also where nobody may know.
std::optional<int> environment_number(int process, const std::string& name) {
  const std::string all = '\0' + read_process_file(process, "environ");
  const std::string wanted = '\0' + name + '=';
  const std::size_t begin = all.find(wanted);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t value = begin + wanted.size();
  return number_in(std::string_view(all).substr(value, all.find('\0', value) - value));
}

int parent_of(int process) {
  const std::string facts = read_process_file(process, "stat");
  const std::size_t name_end = facts.rfind(')');
  int parent = 0;
  if (name_end == std::string::npos || facts.size() < name_end + 5) return 0;
  std::from_chars(facts.data() + name_end + 4, facts.data() + facts.size(), parent);
  return parent;
}

bool is_launcher(int process) {
  std::string name = read_process_file(process, "comm");
  if (!name.empty()) name.pop_back();
  return std::find(std::begin(kLaunchers), std::end(kLaunchers), name) != std::end(kLaunchers);
}

// The nearest ancestor that is not of the same rank: shells and debuggers may be between.
int launcher_of(int process, const std::string& variable, int rank) {
  int parent = parent_of(process);
  while (parent > 1 && environment_number(parent, variable) == rank && !is_launcher(parent)) {
    parent = parent_of(parent);
  }
  return parent;
}

// The name of the file that this code was loaded from, with the slash before it, as it stands among
// what a process has mapped. A file that has been replaced is called by its name alone: others may
// have the new one.
std::string own_file() {
  std::ifstream maps("/proc/self/maps");
  const auto here = reinterpret_cast<std::uintptr_t>(&own_file);
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const char* const last = line.data() + line.size();
    const char* const dash = std::from_chars(line.data(), last, begin, 16).ptr;
    if (dash == last) continue;
    std::from_chars(dash + 1, last, end, 16);
    if (here < begin || here >= end) continue;
    const std::size_t slash = line.rfind('/');
    const std::size_t end_of_path = line.rfind(" (deleted)");
    return slash == std::string::npos ? "" : line.substr(slash, end_of_path - slash);
  }
  return "";
}

std::vector<int> own_processes() {
  std::vector<int> found;
  DIR* const folder = opendir("/proc");
  if (!folder) return found;
  while (const dirent* const entry = readdir(folder)) {
    const std::optional<int> process = number_in(entry->d_name);
    struct stat facts;
    if (process && stat(("/proc/" + std::to_string(*process)).c_str(), &facts) == 0 &&
        facts.st_uid == geteuid()) {
      found.push_back(*process);
    }
  }
  closedir(folder);
  return found;
}

// The ranks of the job on this machine, of whose processes some has loaded the runtime, or none.
struct Present {
  std::vector<int> with;
  std::vector<int> without;
};

Present look(int rank, int ranks) {
  Present present;
  std::string variable;
  for (const char* const name : kRankVariables) {
    const char* const value = std::getenv(name);
    if (value && number_in(value) == rank) variable = name;
  }
  const std::string runtime = own_file();
  if (variable.empty() || runtime.empty()) return present;
  const int launcher = launcher_of(getpid(), variable, rank);
  std::map<int, bool> has_runtime;
  for (const int process : own_processes()) {
    const std::optional<int> theirs = environment_number(process, variable);
    if (!theirs || *theirs < 0 || *theirs >= ranks) continue;
    if (launcher_of(process, variable, *theirs) != launcher) continue;
    const std::string maps = read_process_file(process, "maps");
    if (maps.empty()) continue;  // it is ending, or nobody may know
    has_runtime[*theirs] |= maps.find(runtime) != std::string::npos;
  }
  if (!has_runtime[rank]) return present;  // who cannot look at itself knows nothing of others
  for (const auto& [theirs, has] : has_runtime) {
    (has ? present.with : present.without).push_back(theirs);
  }
  return present;
}

std::string list(const std::vector<int>& ranks) {
  constexpr std::size_t kMost = 8;
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < std::min(kMost, ranks.size()); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
  }
  return ranks.size() > kMost ? text + ", ..." : text;
}

// MPI_Abort is not for a thread beside one that is inside MPI. Launchers end a job of which a rank
// has gone.
[[noreturn]] void end_job(bool speaks, const std::string& text) {
  if (speaks) {
    print_line(text);
    usleep(50000);  // hydra can lose what was written right before the job is ended
  } else {
    sleep(2);  // for who speaks
  }
  _exit(1);
}

}  // namespace

RollCall::RollCall(int rank, int ranks) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // The program's signals are not for this thread.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this, rank, ranks] { watch(rank, ranks); });
  } catch (const std::system_error&) {
    // Without a thread a job with such a mistake waits until somebody ends it.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RollCall::~RollCall() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

bool RollCall::is_over_within(Milliseconds time) {
  std::unique_lock lock(mutex_);
  return over_.wait_for(lock, time, [this] { return is_over_; });
}

void RollCall::watch(int rank, int ranks) {
  constexpr Milliseconds kFirstLook(2000);
  constexpr Milliseconds kBetweenLooks(500);
  constexpr Milliseconds kSaySo(10000);
  constexpr Milliseconds kGiveUp(120000);
  const char* const verbosity = std::getenv("MPIACTOR_VERBOSE");
  bool may_say_so = !verbosity || std::string_view(verbosity) != "quiet";
  std::vector<int> without;
  int first = rank;  // with the runtime, of those that were seen: it may have said so and gone
  Milliseconds waited = kFirstLook;
  for (Milliseconds next = kFirstLook; !is_over_within(next); next = kBetweenLooks) {
    if (next == kBetweenLooks) waited += next;
    const Present present = look(rank, ranks);
    if (!present.with.empty()) first = std::min(first, present.with.front());
    const bool speaks = first == rank;
    if (!present.without.empty() && present.without == without) {
      end_job(speaks, list(without) +
                          " of the job started without libmpiactor.so, others with it; start all "
                          "ranks with it, or none");
    }
    without = present.without;
    if (static_cast<int>(present.with.size()) == ranks) continue;  // they are only late
    if (waited >= kSaySo && speaks && may_say_so) {
      may_say_so = false;
      print_line("rank " + std::to_string(rank) +
                 " waits in MPI_Init for ranks on other machines that may have started without "
                 "libmpiactor.so");
    }
    if (waited >= kGiveUp) {
      end_job(speaks, "rank " + std::to_string(rank) +
                          ": some rank seems to have started without libmpiactor.so; start all "
                          "ranks with it, or none");
    }
  }
}

}  // namespace mpiactor
