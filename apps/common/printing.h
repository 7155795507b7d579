// Standard output to which all has to get: what cannot be printed is a failure.
#ifndef MPIACTOR_APPS_COMMON_PRINTING_H_
#define MPIACTOR_APPS_COMMON_PRINTING_H_

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

namespace mpiactor::apps {

// Throws std::runtime_error with what errno says.
inline void require_printed(bool is_printed) {
  if (!is_printed) throw std::runtime_error(fmt::format("cannot print: {}", std::strerror(errno)));
}

// Throws std::runtime_error where anything that was printed so far has not got out.
inline void finish_printing() {
  errno = EIO;  // of a failure before this one
  require_printed(std::fflush(stdout) == 0 && std::ferror(stdout) == 0);
}

// Throws std::runtime_error where that fails.
inline void print(const std::string& text) {
  require_printed(std::fputs(text.c_str(), stdout) >= 0);
  finish_printing();
}

// Runs a program's main part, which gives the exit status. What it throws, and what could not be
// printed, is said after "`program`: ", and the status is 1.
template <typename Run>
int run_printing(const char* program, Run&& run) {
  try {
    const int status = run();
    finish_printing();
    return status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 1;
  }
}

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_PRINTING_H_
