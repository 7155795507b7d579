// A number of a command line within bounds. CLI::Range lets nan pass.
#ifndef MPIACTOR_APPS_COMMON_NUMBER_RANGE_H_
#define MPIACTOR_APPS_COMMON_NUMBER_RANGE_H_

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

namespace mpiactor::apps {

inline CLI::Validator number_range(double least, double most) {
  const CLI::Range range(least, most);
  return {[range](std::string& text) {
            const std::string problem = range(text);
            if (!problem.empty() || !std::isnan(std::strtod(text.c_str(), nullptr))) return problem;
            return "Value " + text + " not in range";
          },
          range.get_description()};
}

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_NUMBER_RANGE_H_
