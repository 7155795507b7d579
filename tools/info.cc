// mpiactor-info: what the runtime would find here.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "tools/info_facts.h"
#include "tools/info_format.h"

namespace {

constexpr int kUsageError = 2;

std::filesystem::path own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : path;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  bool markdown = false;
  CLI::App app(
      "Prints the runtime's version, the machine as it sees it, every setting with its value from "
      "the environment, the algorithms and where the libraries are. Exit status: 0; 1 where the "
      "environment holds a wrong value; 2 for a wrong command line.",
      "mpiactor-info");
  CLI::Option* const json_flag = app.add_flag("--json", json, "As JSON");
  app.add_flag("--markdown", markdown, "Only the settings and their defaults, as a Markdown table")
      ->excludes(json_flag);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }

  namespace info = mpiactor::info;
  if (markdown) {
    std::fputs(info::settings_as_markdown(info::setting_facts({})).c_str(), stdout);
    return 0;
  }
  const char* const search_path = std::getenv("PATH");
  const info::Facts facts = info::gather_facts(mpiactor::settings_from_environment(environ),
                                               own_path(), search_path ? search_path : "");
  std::fputs((json ? info::to_json(facts) : info::to_text(facts)).c_str(), stdout);
  return facts.has_errors() ? 1 : 0;
}
