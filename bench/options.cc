#include "bench/options.h"

#include <algorithm>
#include <string>

#include "bench/byte_size.h"
#include "bench/command_line.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::bench {
namespace {

// Options as typed; what needs the number of ranks or other options is read from these afterwards.
struct Typed : CommonTyped {
  std::string sizes = "1K,64K,1M";
  std::string roots = "rotate";
  int repetitions = 50;
  int warmup = -1;
};

void declare(cli::App& app, Typed& typed) {
  app.add_option("--sizes", typed.sizes, "Message sizes in bytes, with K, M or G")
      ->capture_default_str();
  declare_arrivals(app, typed);
  app.add_option("--roots", typed.roots, "rotate: repetition i has root i mod ranks; or fixed")
      ->check(cli::IsMember({"rotate", "fixed"}))
      ->capture_default_str();
  app.add_option("--root", typed.root, "The root with --roots fixed")->capture_default_str();
  app.add_option("--reps", typed.repetitions, "Measured repetitions for each size")
      ->check(cli::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--warmup", typed.warmup,
                 "Repetitions before them, without delays and not measured; default: 5, or with "
                 "rotating roots one for each rank (5 to 64)")
      ->check(cli::Range(0, 10'000'000));
  declare_margin(app, typed);
  app.add_option("--seed", typed.seed, "Seed of the random delays")->capture_default_str();
  declare_clock(app, typed.clock);
  declare_contenders(app, typed, "call by call");
}

Options interpret(const Typed& typed, int ranks) {
  Options options;
  options.sizes_bytes = read_option("--sizes", [&] { return parse_byte_sizes(typed.sizes); });
  interpret_common(typed, ranks, options);
  options.repetitions = typed.repetitions;
  options.rotate_roots = typed.roots == "rotate";
  options.warmup = typed.warmup >= 0      ? typed.warmup
                   : options.rotate_roots ? std::clamp(ranks, 5, 64)
                                          : 5;
  return options;
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv, int ranks) {
  cli::App app{"Times MPI_Bcast when its ranks do not arrive together.", "upa"};
  Typed typed;
  typed.skew_ms = 20;
  declare(app, typed);
  return parse_command_line<Options>(app, argc, argv, [&] { return interpret(typed, ranks); });
}

}  // namespace mpiactor::bench
