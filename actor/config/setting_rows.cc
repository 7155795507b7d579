// The table of all settings: what each may be, and how its text is read.
#include <array>
#include <charconv>

#include "actor/config/node_spec.h"
#include "actor/config/settings.h"
#include "actor/config/torus_spec.h"
#include "inter/lasting.h"
#include "inter/registry.h"

namespace mpiactor {
namespace {

[[noreturn]] void reject(const SettingRow& row, std::string_view text,
                         const std::string& why = {}) {
  throw SettingError(std::string(row.name) + "='" + std::string(text) + "' is not allowed" +
                     (why.empty() ? "" : " (" + why + ")") + "; allowed: " + row.allowed);
}

template <typename Value, std::size_t N>
Value choose(const SettingRow& row, std::string_view text,
             const std::array<std::pair<std::string_view, Value>, N>& choices) {
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
  }
  reject(row, text);
}

int parse_integer(const SettingRow& row, std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    reject(row, text);
  }
  return value;
}

std::uint64_t parse_size(const SettingRow& row, std::string_view text, std::uint64_t low,
                         std::uint64_t high) {
  std::uint64_t bytes = 0;
  try {
    bytes = parse_bytes(text);
  } catch (const SettingError& error) {
    reject(row, text, error.what());
  }
  if (bytes < low || bytes > high) reject(row, text);
  return bytes;
}

std::string algorithms_of(inter::Collective collective) {
  return "auto|" + inter::algorithm_names(collective);
}

std::string parse_algorithm(const SettingRow& row, std::string_view text,
                            inter::Collective collective) {
  if (text != "auto" && !inter::find_algorithm(collective, text)) reject(row, text);
  return std::string(text);
}

// "saving" or "fast", each with ":PEERS" or without.
MemoryMode parse_memory(const SettingRow& row, std::string_view text) {
  MemoryMode mode;
  const std::size_t colon = std::min(text.find(':'), text.size());
  mode.saving = text.substr(0, colon) == "saving";
  if (!mode.saving && text.substr(0, colon) != "fast") reject(row, text);
  if (colon == text.size()) return mode;
  const std::string_view peers = text.substr(colon + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(peers.data(), peers.data() + peers.size(), number);
  if (error != std::errc() || end != peers.data() + peers.size() || number < 0 ||
      number > MemoryMode::kMostPeers) {
    reject(row, text);
  }
  mode.large_peers = number;
  return mode;
}

std::vector<SettingRow> make_rows() {
  using Row = const SettingRow&;
  using Text = std::string_view;
  return {
      {"MPIACTOR_LEADER", "competitive", "competitive|static|off",
       "who talks to other nodes: the first member to arrive, the lowest one, or nobody (all calls "
       "go to the MPI library)",
       [](Row row, Text text, Settings& out) {
         out.leader = choose<LeaderMode, 3>(row, text,
                                            {{{"competitive", LeaderMode::kCompetitive},
                                              {"static", LeaderMode::kStatic},
                                              {"off", LeaderMode::kOff}}});
       }},
      {"MPIACTOR_CANDIDATES", "8", "1..64",
       "how many members of a node may become leader, spread over its caches and NUMA domains",
       [](Row row, Text text, Settings& out) { out.candidates = parse_integer(row, text, 1, 64); }},
      {"MPIACTOR_BCAST", "auto", algorithms_of(inter::Collective::kBcast),
       "algorithm between nodes for MPI_Bcast",
       [](Row row, Text text, Settings& out) {
         out.bcast = parse_algorithm(row, text, inter::Collective::kBcast);
       }},
      {"MPIACTOR_REDUCE", "auto", algorithms_of(inter::Collective::kReduce),
       "algorithm between nodes for MPI_Reduce",
       [](Row row, Text text, Settings& out) {
         out.reduce = parse_algorithm(row, text, inter::Collective::kReduce);
       }},
      {"MPIACTOR_ALLREDUCE", "auto", algorithms_of(inter::Collective::kAllreduce),
       "algorithm between nodes for MPI_Allreduce and MPI_Barrier",
       [](Row row, Text text, Settings& out) {
         out.allreduce = parse_algorithm(row, text, inter::Collective::kAllreduce);
       }},
      {"MPIACTOR_REDUCE_ORDER", "fixed", "fixed|arrival",
       "fixed: results of reductions are the same bits in every run, whoever arrives first; "
       "arrival: long vectors are combined as their owners arrive, so that sums of real numbers "
       "may differ in their last bits from run to run (not from rank to rank)",
       [](Row row, Text text, Settings& out) {
         out.reduce_order = choose<ReduceOrder, 2>(
             row, text, {{{"fixed", ReduceOrder::kFixed}, {"arrival", ReduceOrder::kArrival}}});
       }},
      {"MPIACTOR_ALLGATHER", "auto", algorithms_of(inter::Collective::kAllgather),
       "algorithm between nodes for MPI_Allgather where all nodes have equally many ranks",
       [](Row row, Text text, Settings& out) {
         out.allgather = parse_algorithm(row, text, inter::Collective::kAllgather);
       }},
      {"MPIACTOR_ALLTOALL", "auto", algorithms_of(inter::Collective::kAlltoall),
       "algorithm between nodes for MPI_Alltoall; bruck where all nodes have equally many ranks",
       [](Row row, Text text, Settings& out) {
         out.alltoall = parse_algorithm(row, text, inter::Collective::kAlltoall);
       }},
      {"MPIACTOR_NONBLOCKING", "auto", "auto|off",
       "auto: nonblocking and persistent collectives are handled where the runtime can go on with "
       "them inside the MPI library's own waiting; off: they go to the MPI library",
       [](Row row, Text text, Settings& out) {
         out.nonblocking = choose<bool, 2>(row, text, {{{"off", false}, {"auto", true}}});
       }},
      {"MPIACTOR_GPU", "auto", "auto|off",
       "auto: where a rank has a GPU's driver loaded, calls with a buffer in a GPU's "
       "memory go to the MPI library, and all nonblocking and persistent ones; off: for programs "
       "that pass no such buffers",
       [](Row row, Text text, Settings& out) {
         out.gpu = choose<bool, 2>(row, text, {{{"off", false}, {"auto", true}}});
       }},
      {"MPIACTOR_NEVER_WORSE", "1", "0|1",
       "1: collectives and sizes at which the runtime was not measured to be at least as quick go "
       "to "
       "the MPI library; 0: everything that can be handled is",
       [](Row row, Text text, Settings& out) {
         out.never_worse = choose<bool, 2>(row, text, {{{"0", false}, {"1", true}}});
       }},
      {"MPIACTOR_SINGLE_COPY", "auto", "auto|off",
       "long blocks on one node, where the system lets ranks read each other's memory "
       "(process_vm_readv): auto copies them directly where that is quicker; off copies everything "
       "through staging",
       [](Row row, Text text, Settings& out) {
         out.single_copy = choose<SingleCopy, 2>(
             row, text, {{{"auto", SingleCopy::kAuto}, {"off", SingleCopy::kOff}}});
       }},
      {"MPIACTOR_SEGMENT", "auto", "auto|1K..1G",
       "unit of pipelining; auto chooses by message and algorithm",
       [](Row row, Text text, Settings& out) {
         out.segment_bytes = text == "auto" ? 0 : parse_size(row, text, 1024, 1u << 30);
       }},
      {"MPIACTOR_WINDOW", "4", "1..8", "segments of a transfer that are under way at once",
       [](Row row, Text text, Settings& out) { out.window = parse_integer(row, text, 1, 8); }},
      {"MPIACTOR_MEMORY", "fast", "fast|saving|fast:PEERS|saving:PEERS, PEERS 0..1048576",
       "buffers for what reductions take in from other nodes: fast gives every peer a full window, "
       "fast:PEERS only the first PEERS ones, the others a segment; saving gives every peer a "
       "segment at first, and a window to the first PEERS (8) that are used often",
       [](Row row, Text text, Settings& out) { out.memory = parse_memory(row, text); }},
      {"MPIACTOR_PUSH", "auto", "auto|0..64K",
       "messages up to this size are pushed to every candidate of a node; longer ones are "
       "announced; auto: 16K, or less where the MPI library sends only shorter ones before they "
       "are received; by hops where MPIACTOR_TORUS is set",
       [](Row row, Text text, Settings& out) {
         if (text == "auto") {
           out.push_bytes.reset();
         } else {
           out.push_bytes = parse_size(row, text, 0, 64 << 10);
         }
       }},
      {"MPIACTOR_SHM_LIMIT", "8M", "0|256K..16G",
       "staging memory of one communicator on one node; 0 passes all calls to the MPI library",
       [](Row row, Text text, Settings& out) {
         out.shm_limit_bytes = text == "0" ? 0 : parse_size(row, text, 256u << 10, 16ull << 30);
       }},
      {"MPIACTOR_NODES", "", node_spec_syntax(),
       "pretended nodes, for trying several nodes on one machine; empty: the machine as it is",
       [](Row row, Text text, Settings& out) {
         try {
           check_node_spec(text);
         } catch (const std::invalid_argument& error) {
           reject(row, text, error.what());
         }
         out.nodes = text;
       }},
      {"MPIACTOR_TORUS", "", torus_syntax(),
       "the torus or mesh that the nodes lie on; empty: a line",
       [](Row row, Text text, Settings& out) {
         try {
           check_torus(text);
         } catch (const std::invalid_argument& error) {
           reject(row, text, error.what());
         }
         out.torus = text;
       }},
      {"MPIACTOR_TUNING", "", "path of a table written by mpiactor-tune",
       "rules that come before the built-in ones: who serves which collective, on which nodes, at "
       "which bytes; empty: none",
       [](Row, Text text, Settings& out) { out.tuning = text; }},
      {"MPIACTOR_WAIT", "auto", "auto|spin|yield",
       "how waiting ranks wait: auto yields and sleeps early where a machine has more ranks than "
       "cores",
       [](Row row, Text text, Settings& out) {
         out.wait = choose<WaitMode, 3>(
             row, text,
             {{{"auto", WaitMode::kAuto}, {"spin", WaitMode::kSpin}, {"yield", WaitMode::kYield}}});
       }},
      {"MPIACTOR_WARMUP_CALLS", "1", "0..1000000",
       "calls on a communicator that go to the MPI library before shared memory is set up for it",
       [](Row row, Text text, Settings& out) {
         out.warmup_calls = parse_integer(row, text, 0, 1000000);
       }},
      {"MPIACTOR_VERBOSE", "warn", "quiet|warn|info",
       "info: one line from rank 0 at start, and lines at finalize that count the calls by rule "
       "and path",
       [](Row row, Text text, Settings& out) {
         out.verbose = choose<Verbosity, 3>(row, text,
                                            {{{"quiet", Verbosity::kQuiet},
                                              {"warn", Verbosity::kWarn},
                                              {"info", Verbosity::kInfo}}});
       }},
      {"MPIACTOR_CHECK", "0", "0|1",
       "1: compare operation, root and bytes of every request across a node's members and abort "
       "with both call sites' values when they differ",
       [](Row row, Text text, Settings& out) {
         out.check = choose<bool, 2>(row, text, {{{"0", false}, {"1", true}}});
       }},
      {"MPIACTOR_TRACE", "", "path of the file to write",
       "record when every rank enters and leaves every collective, and who leads, for "
       "mpiactor-report; empty: nothing is recorded",
       [](Row, Text text, Settings& out) { out.trace = text; }},
  };
}

}  // namespace

const std::vector<SettingRow>& setting_rows() {
  static inter::Lasting<const std::vector<SettingRow>> rows(make_rows());
  return *rows;
}

}  // namespace mpiactor
