// What a fuzz target may do with bad input: refuse it by the error that its parser documents.
// Anything else, another exception, a broken promise, ends the process, which is a finding.
#ifndef MPIACTOR_TESTS_FUZZ_TARGET_H_
#define MPIACTOR_TESTS_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// The entry that libFuzzer, or replay.cc, calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

namespace mpiactor::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t bytes) {
  return {reinterpret_cast<const char*>(data), bytes};
}

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Returns whether parse() has taken the input; false where it throws one of `Errors`, whose text
// must say something.
template <typename... Errors, typename Parse>
bool takes(Parse parse) {
  try {
    parse();
    return true;
  } catch (const std::exception& error) {
    if (!((dynamic_cast<const Errors*>(&error) != nullptr) || ...)) throw;
    require(error.what()[0] != '\0', "an error says what is wrong");
    return false;
  }
}

}  // namespace mpiactor::fuzz

#endif  // MPIACTOR_TESTS_FUZZ_TARGET_H_
