#include "apps/common/command_line.h"

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

namespace mpiactor::apps {

void add_outputs(CLI::App& app, std::string& json_file, ProgressMode& progress) {
  app.add_option("--json", json_file, "write the results as JSON to this file");
  app.add_option("--progress", progress, "progress line on stderr; auto: where it is a terminal")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, ProgressMode>{{"auto", ProgressMode::kAuto},
                                                                      {"on", ProgressMode::kOn},
                                                                      {"off", ProgressMode::kOff}},
                                  CLI::ignore_case))
      ->type_name("auto|on|off");
}

Parsing parse(CLI::App& app, int argc, const char* const* argv,
              const std::function<void()>& check) {
  try {
    app.parse(argc, argv);
    check();
    return {};
  } catch (const CLI::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    const int status = app.exit(error, output, errors) == 0 ? 0 : 2;
    return {.run = false, .exit_status = status, .output = output.str(), .errors = errors.str()};
  }
}

}  // namespace mpiactor::apps
