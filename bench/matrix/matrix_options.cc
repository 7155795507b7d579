#include "bench/matrix/matrix_options.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "bench/byte_size.h"
#include "bench/command_line.h"
#include "bench/page_buffer.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::bench {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr int kLeastRepetitions = 2;
// Random delays need more calls than equal ones before their mean says something.
constexpr int kLeastRepetitionsWithSkew = 12;

// Options as typed; what needs the number of ranks or other options is read from these afterwards.
struct Typed : CommonTyped {
  std::string collectives = "all";
  std::string sizes = "4,16,64,256,1K,4K,16K,64K,256K,1M,4M,16M";
  std::string type = "int";
  std::string roots;
  double cell_ms = 60;
  int repetitions = 0;
  int least_repetitions = 0;
  std::string max_memory = "256M";
  int buffer_offset_bytes = kUsualOffsetBytes;
  int under_way = 1;
  std::string sweep;
  std::string verify = "on";
};

void declare_what(cli::App& app, Typed& typed) {
  app.add_option("--collectives", typed.collectives, "List of collectives, or all")
      ->capture_default_str();
  app.add_option("--sizes", typed.sizes,
                 "Bytes, with K, M or G: the message of bcast, reduce, allreduce; one rank's block "
                 "of the others")
      ->capture_default_str();
  app.add_option("--type", typed.type, "Element: int, float or double")->capture_default_str();
  app.add_option("--max-memory", typed.max_memory,
                 "Cells whose buffers need more than this a rank are skipped")
      ->capture_default_str();
  app.add_option("--buffer-offset", typed.buffer_offset_bytes,
                 "Buffers begin so many bytes behind the beginning of a page; malloc()'s long ones "
                 "do 16")
      ->check(cli::Range(0, kPageBytes - 1))
      ->capture_default_str();
  app.add_option(
         "--under-way", typed.under_way,
         "Nonblocking calls that begin before the first one is waited for; a time is that of "
         "all together")
      ->check(cli::Range(1, 1000))
      ->capture_default_str();
  app.add_option(
      "--sweep", typed.sweep,
      "Bytes of its own that each rank writes before each timed call, as a program does that "
      "computes; default: none");
  app.add_option("--verify", typed.verify, "Check the data of one call of each cell (not timed)")
      ->check(cli::IsMember({"on", "off"}))
      ->capture_default_str();
}

void declare_calls(cli::App& app, Typed& typed) {
  declare_arrivals(app, typed);
  app.add_option("--roots", typed.roots,
                 "rotate: repetition i has root i mod ranks; fixed: --root; both: as two cells; "
                 "default: fixed, with skew rotate")
      ->check(cli::IsMember({"rotate", "fixed", "both"}));
  app.add_option("--root", typed.root, "The root where it is fixed")->capture_default_str();
  app.add_option("--seed", typed.seed, "Seed of the random delays")->capture_default_str();
}

void declare_procedure(cli::App& app, Typed& typed) {
  app.add_option("--cell-ms", typed.cell_ms,
                 "Time for the calls of one contender at one collective and size")
      ->check(cli::Range(0.1, 600000.0))
      ->capture_default_str();
  app.add_option("--reps", typed.repetitions, "Calls of a cell; default: as --cell-ms allows")
      ->check(cli::Range(1, 10'000'000));
  app.add_option("--min-reps", typed.least_repetitions,
                 "Calls of a cell whatever they take; default: 2, with skew 12")
      ->check(cli::Range(1, 10'000'000));
  declare_margin(app, typed);
  declare_clock(app, typed.clock);
  declare_contenders(app, typed, "within each cell");
}

void read_sizes(const Typed& typed, MatrixOptions& options) {
  options.element = read_option("--type", [&] { return parse_element_type(typed.type); });
  options.sizes_bytes = read_option("--sizes", [&] { return parse_byte_sizes(typed.sizes); });
  for (const std::int64_t bytes : options.sizes_bytes) {
    if (bytes % static_cast<std::int64_t>(options.element.bytes) == 0) continue;
    throw std::invalid_argument(fmt::format("--sizes: {} is not a multiple of {}, the bytes of {}",
                                            bytes, options.element.bytes, options.element.name));
  }
  options.memory_limit_bytes =
      read_option("--max-memory", [&] { return parse_byte_size(typed.max_memory); });
}

Roots read_roots(const Typed& typed) {
  if (typed.roots.empty()) return typed.skew_ms > 0 ? Roots::kRotate : Roots::kFixed;
  if (typed.roots == "both") return Roots::kBoth;
  return typed.roots == "rotate" ? Roots::kRotate : Roots::kFixed;
}

MatrixOptions interpret(const Typed& typed, int ranks) {
  MatrixOptions options;
  options.collectives =
      read_option("--collectives", [&] { return parse_collectives(typed.collectives); });
  read_sizes(typed, options);
  interpret_common(typed, ranks, options);
  options.roots = read_roots(typed);
  options.cell_ns = std::llround(typed.cell_ms * kNsPerMs);
  options.repetitions = typed.repetitions;
  options.least_repetitions = typed.least_repetitions > 0 ? typed.least_repetitions
                              : typed.skew_ms > 0         ? kLeastRepetitionsWithSkew
                                                          : kLeastRepetitions;
  options.buffer_offset_bytes = typed.buffer_offset_bytes;
  options.under_way = typed.under_way;
  if (!typed.sweep.empty()) {
    options.sweep_bytes = read_option("--sweep", [&] { return parse_byte_size(typed.sweep); });
  }
  options.verify = typed.verify == "on";
  return options;
}

}  // namespace

ParsedMatrixOptions parse_matrix_options(int argc, const char* const* argv, int ranks) {
  cli::App app{"Times every collective at many sizes in one job.", "collectives_run"};
  Typed typed;
  declare_what(app, typed);
  declare_calls(app, typed);
  declare_procedure(app, typed);
  return parse_command_line<MatrixOptions>(app, argc, argv,
                                           [&] { return interpret(typed, ranks); });
}

}  // namespace mpiactor::bench
