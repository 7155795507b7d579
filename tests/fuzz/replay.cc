// Feeds files to a fuzz target, without a fuzzer: FILE...
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/target.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "cannot read '%s'\n", argv[i]);
      return 1;
    }
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    std::fprintf(stderr, "%s: %zu bytes\n", argv[i], text.size());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::fprintf(stderr, "%d files\n", argc - 1);
  return argc > 1 ? 0 : 1;
}
