// The command line.
#ifndef MPIACTOR_APPS_ASP_OPTIONS_H_
#define MPIACTOR_APPS_ASP_OPTIONS_H_

#include <cstdint>
#include <string>

#include "apps/common/command_line.h"
#include "apps/common/computing.h"
#include "apps/common/progress.h"

namespace mpiactor::asp {

struct Options {
  std::string graph_file;            // empty: a random graph
  std::int32_t random_vertices = 0;  // of the random graph
  std::uint64_t seed = 1;            // of the random graph, the verified sources and slept steps
  int threads = 1;
  std::int32_t batch = 1;
  apps::Computing computing;
  std::int32_t verify_sources = 0;
  std::string out_file;   // empty: none
  std::string json_file;  // empty: none
  apps::ProgressMode progress = apps::ProgressMode::kAuto;
};

using ParsedOptions = apps::Parsed<Options>;

// Exit status 2 for a wrong command line.
ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace mpiactor::asp

#endif  // MPIACTOR_APPS_ASP_OPTIONS_H_
