// The command line.
#ifndef MPIACTOR_APPS_VCC_OPTIONS_H_
#define MPIACTOR_APPS_VCC_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <string>

#include "apps/common/command_line.h"
#include "apps/common/computing.h"
#include "apps/common/progress.h"

namespace mpiactor::vcc {

inline constexpr std::int32_t kVerifyAll = std::numeric_limits<std::int32_t>::max();

struct Options {
  std::string data_file;              // empty: random data
  std::int32_t random_variables = 0;  // of the random data
  std::int32_t random_observations = 1000;
  double random_missing = 0.0;
  std::uint64_t seed = 1;  // of the random data, the verified variables and slept steps
  std::int32_t block = 32;
  std::int32_t largest = 5;
  apps::Computing computing;
  std::int32_t verify_variables = 0;
  std::string output_prefix;  // empty: none
  std::string json_file;      // empty: none
  apps::ProgressMode progress = apps::ProgressMode::kAuto;
};

using ParsedOptions = apps::Parsed<Options>;

// Exit status 2 for a wrong command line.
ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_OPTIONS_H_
