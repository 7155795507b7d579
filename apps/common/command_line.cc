#include "apps/common/command_line.h"

#include <sstream>

#include "third_party/cli11/cli.h"

namespace mpiactor::apps {

void add_outputs(cli::App& app, std::string& json_file, ProgressMode& progress) {
  app.add_option("--json", json_file, "write the results as JSON to this file");
  app.add_choice(
         "--progress", progress,
         {{"auto", ProgressMode::kAuto}, {"on", ProgressMode::kOn}, {"off", ProgressMode::kOff}},
         "progress line on stderr; auto: where it is a terminal")
      ->type_name("auto|on|off");
}

Parsing parse(cli::App& app, int argc, const char* const* argv,
              const std::function<void()>& check) {
  try {
    app.parse(argc, argv);
    check();
    return {};
  } catch (const cli::ParseError& error) {
    std::ostringstream output;
    std::ostringstream errors;
    const int status = app.exit(error, output, errors) == 0 ? 0 : 2;
    return {.run = false, .exit_status = status, .output = output.str(), .errors = errors.str()};
  }
}

}  // namespace mpiactor::apps
