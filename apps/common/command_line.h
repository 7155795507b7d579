// How the applications read their command lines.
#ifndef MPIACTOR_APPS_COMMON_COMMAND_LINE_H_
#define MPIACTOR_APPS_COMMON_COMMAND_LINE_H_

#include <functional>
#include <string>

#include "apps/common/progress.h"

namespace mpiactor::cli {
class App;
}

namespace mpiactor::apps {

// What parsing came to. Where `run` is false the program ends with `exit_status` after one rank
// has printed `output` on stdout and `errors` on stderr.
struct Parsing {
  bool run = true;
  int exit_status = 0;
  std::string output;
  std::string errors;
};

template <typename Options>
struct Parsed : Parsing {
  Options options;
};

// Adds --json and --progress to `app`; they set `json_file` and `progress`.
void add_outputs(cli::App& app, std::string& json_file, ProgressMode& progress);

// Reads the arguments by `app`; then check() throws a cli::ParseError where they do not go
// together. Exit status 2 for a wrong command line.
Parsing parse(cli::App& app, int argc, const char* const* argv, const std::function<void()>& check);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_COMMAND_LINE_H_
