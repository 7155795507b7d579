// Assertions of debug builds (bazel --config=debug, and the sanitizers'): what the models of
// tests/model prove of the request queue, and what the engine relies on. See docs/verification.md.
//
// A condition that does not hold ends the process with a line that says what was violated and the
// values at hand: request, member, ... Optimised builds do not look at conditions or values; what
// they would be alone for is under MPIACTOR_ASSERTIONS.
#ifndef MPIACTOR_INTER_ASSERTION_H_
#define MPIACTOR_INTER_ASSERTION_H_

#if defined(NDEBUG)
#define MPIACTOR_ASSERTIONS 0
#define MPIACTOR_ASSERT(condition, ...) static_cast<void>(0)
#define MPIACTOR_WITH_ASSERTIONS(statement) static_cast<void>(0)
#else
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#define MPIACTOR_ASSERTIONS 1
// A statement of debug builds alone: a call of a function that asserts.
#define MPIACTOR_WITH_ASSERTIONS(statement) statement
// MPIACTOR_ASSERT(condition, format, values...): the format is printf's.
#define MPIACTOR_ASSERT(condition, ...) \
  ((condition) ? static_cast<void>(0)   \
               : ::mpiactor::assertion_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

namespace mpiactor {

[[noreturn, gnu::cold, gnu::noinline, gnu::format(printf, 4, 5)]] inline void assertion_failed(
    const char* file, int line, const char* condition, const char* format, ...) {
  char values[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(values, sizeof values, format, arguments);
  va_end(arguments);
  // One write: ranks share standard error.
  std::fprintf(stderr, "mpiactor: assertion failed: %s (%s, %s:%d)\n", values, condition, file,
               line);
  std::abort();
}

}  // namespace mpiactor
#endif

#endif  // MPIACTOR_INTER_ASSERTION_H_
