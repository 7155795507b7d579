// Reads the command line of a benchmark program, on every rank alike; nothing is printed.
#ifndef MPIACTOR_BENCH_COMMAND_LINE_H_
#define MPIACTOR_BENCH_COMMAND_LINE_H_

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include "bench/parsed.h"
#include "third_party/cli11/cli.h"

namespace mpiactor::bench {

// read(), whose std::invalid_argument is made to name the option.
template <typename Read>
auto read_option(const char* option, Read read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", option, error.what()));
  }
}

// `app` has its options declared; interpret() makes Options of what they hold, or throws
// std::invalid_argument.
template <typename Options, typename Interpret>
Parsed<Options> parse_command_line(cli::App& app, int argc, const char* const* argv,
                                   Interpret interpret) {
  constexpr int kUsageError = 2;
  Parsed<Options> parsed;
  try {
    app.parse(argc, argv);
    parsed.options = interpret();
  } catch (const cli::ParseError& error) {
    std::ostringstream out, err;
    parsed.run = false;
    parsed.exit_code = app.exit(error, out, err) == 0 ? 0 : kUsageError;
    parsed.message =
        parsed.exit_code == 0 ? out.str() : fmt::format("{}: {}", app.get_name(), err.str());
  } catch (const std::invalid_argument& error) {
    parsed.run = false;
    parsed.exit_code = kUsageError;
    parsed.message = fmt::format("{}: {}\n", app.get_name(), error.what());
  }
  return parsed;
}

}  // namespace mpiactor::bench

#endif  // MPIACTOR_BENCH_COMMAND_LINE_H_
