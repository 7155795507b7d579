// Standard output to which all has to get: what cannot be printed is a failure.
#ifndef MPIACTOR_APPS_COMMON_PRINTING_H_
#define MPIACTOR_APPS_COMMON_PRINTING_H_

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace mpiactor::apps {

// Throws std::runtime_error where anything that was printed so far has not got out.
inline void finish_printing() {
  errno = EIO;  // of a failure before this one
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::runtime_error(fmt::format("cannot print: {}", std::strerror(errno)));
}

// Throws std::runtime_error where that fails.
inline void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  finish_printing();
}

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_PRINTING_H_
