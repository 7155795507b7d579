// replay: what recorded collectives would cost under static and under competitive leaders, by the
// model. Reads JSON from a file or standard input, writes JSON to standard output; both as
// replay_document() has them. mpiactor-report --model uses it.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "sim/replay_calls.h"

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && std::string(argv[1]) == "--help")) {
    fmt::print(argc == 2 ? stdout : stderr,
               "usage: replay [FILE]\nPlays recorded collectives under both leader policies; see "
               "sim/replay_calls.h\n");
    return argc == 2 ? EXIT_SUCCESS : 2;
  }
  try {
    nlohmann::json document;
    if (argc == 2) {
      std::ifstream file(argv[1]);
      if (!file) throw std::runtime_error(fmt::format("{} cannot be read", argv[1]));
      document = nlohmann::json::parse(file);
    } else {
      document = nlohmann::json::parse(std::cin);
    }
    std::cout << mpiactor::sim::replay_document(document).dump() << '\n';
    return std::cout.flush() ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    fmt::print(stderr, "replay: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
