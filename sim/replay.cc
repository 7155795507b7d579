// replay: what recorded collectives would cost under static and under competitive leaders, by the
// model. Reads JSON from a file or standard input, writes JSON to standard output; both as
// replay_document() has them. mpiactor-report --model uses it.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "apps/common/printing.h"
#include "sim/replay_calls.h"

namespace {

int run(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && std::string(argv[1]) == "--help")) {
    fmt::print(argc == 2 ? stdout : stderr,
               "usage: replay [FILE]\nPlays recorded collectives under both leader policies; see "
               "sim/replay_calls.h\n");
    return argc == 2 ? 0 : 2;
  }
  nlohmann::json document;
  if (argc == 2) {
    std::ifstream file(argv[1]);
    if (!file) throw std::runtime_error(fmt::format("{} cannot be read", argv[1]));
    document = nlohmann::json::parse(file);
  } else {
    document = nlohmann::json::parse(std::cin);
  }
  fmt::print("{}\n", mpiactor::sim::replay_document(document).dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return mpiactor::apps::run_printing("replay", [&] { return run(argc, argv); });
}
