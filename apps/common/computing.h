// The options of the applications that say how they compute: --computing, --slower, --costs and
// those of noise.
#ifndef MPIACTOR_APPS_COMMON_COMPUTING_H_
#define MPIACTOR_APPS_COMMON_COMPUTING_H_

#include <string>

#include "apps/common/noise_options.h"

namespace mpiactor::cli {
class App;
}

namespace mpiactor::apps {

struct Computing {
  bool is_asleep = false;
  double slower = 1.0;     // times that a slept step lasts as long as it was measured to take
  std::string costs_file;  // empty: costs are measured
  NoiseSettings noise;
};

// Adds the options to `app`; they set `computing`.
void add_computing(cli::App& app, Computing& computing);

// After parsing. Throws a cli::ParseError where --slower or --costs is given without sleep or with
// recorded steps, and what check_noise throws.
void check_computing(const cli::App& app, const Computing& computing);

// After parsing. Throws the cli::ParseError that names both options and says `why`, where
// computing is asleep and `is_given`.
void refuse_with_asleep(const Computing& computing, bool is_given, const std::string& option,
                        const std::string& why);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_COMPUTING_H_
