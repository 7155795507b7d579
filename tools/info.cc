// mpiactor-info: what the runtime would find here.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

#include "actor/config/settings.h"
#include "inter/tofu_algos/torus.h"
#include "tools/info_explain.h"
#include "tools/info_facts.h"
#include "tools/info_format.h"
#include "tools/info_memory.h"

namespace {

constexpr int kUsageError = 2;

std::filesystem::path own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : path;
}

mpiactor::inter::Tuning tuning_of(const mpiactor::Settings& settings) {
  if (settings.tuning.empty()) return {};
  std::ifstream in(settings.tuning);
  if (!in) throw std::runtime_error("MPIACTOR_TUNING: cannot read '" + settings.tuning + "'");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return mpiactor::inter::Tuning::parse(text, settings.tuning);
}

// The same, of the environment's settings and `option`'s value.
std::uint64_t size_of(const std::string& option, const std::string& text) {
  std::uint64_t size = 0;
  try {
    size = mpiactor::parse_bytes(text);
  } catch (const mpiactor::SettingError& error) {
    throw std::runtime_error(option + " " + text + ": " + error.what());
  }
  if (size == 0) throw std::runtime_error(option + " 0: at least 1 is needed");
  return size;
}

int print_memory(mpiactor::MemoryQuestion question, const std::string& bytes, bool json) {
  namespace info = mpiactor::info;
  try {
    question.settings = mpiactor::parse_settings(mpiactor::settings_from_environment(environ));
    question.tuning = tuning_of(question.settings);
    question.message_bytes = size_of("--bytes", bytes);
    const mpiactor::MemoryNeed need = mpiactor::memory_need(question);
    std::fputs((json ? info::to_json(question, need) : info::to_text(question, need)).c_str(),
               stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpiactor-info: %s\n", error.what());
    return 1;
  }
}

// With the environment's settings and tuning table, as the runtime would.
int print_explanation(mpiactor::info::Question question, const std::string& shape,
                      const std::string& bytes, bool json) {
  namespace info = mpiactor::info;
  try {
    question.settings = mpiactor::parse_settings(mpiactor::settings_from_environment(environ));
    question.tuning = tuning_of(question.settings);
    question.bytes = size_of("--bytes", bytes);
    question.shape = mpiactor::inter::parse_shape(shape);
    const info::Explanation explanation = info::explain(question);
    std::fputs((json ? info::to_json(explanation) : info::to_text(explanation)).c_str(), stdout);
    return 0;
  } catch (const mpiactor::inter::TorusError& error) {
    std::fprintf(stderr, "mpiactor-info: --shape: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpiactor-info: %s\n", error.what());
  }
  return 1;
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
  bool rules = false;
  app.add_flag("--rules", rules,
               "Only the built-in rules: who serves which collective, in the notation of "
               "MPIACTOR_TUNING")
      ->excludes(json_flag);
  mpiactor::info::Question explained;
  std::string shape = "4";
  std::string bytes = "1M";
  CLI::Option* const explain =
      app.add_option(
             "--explain", explained.collective,
             "Instead: who serves this collective, by its bytes, and why; and the predicted "
             "times of all plans between nodes")
          ->check(CLI::IsMember(mpiactor::info::explained_collectives()));
  app.add_option("--shape", shape,
                 "With --explain: nodes, as 384, 64x6 or 8x6x8 (m after an extent: mesh)")
      ->capture_default_str()
      ->needs(explain);
  CLI::Option* const bytes_option =
      app.add_option(
             "--bytes", bytes,
             "With --explain: what plans move, with K, M or G; with --memory: the longest message")
          ->capture_default_str();
  bool memory = false;
  mpiactor::MemoryQuestion question;
  std::string order = "blocks";
  CLI::Option* const memory_flag =
      app.add_flag("--memory", memory,
                   "Instead: the memory that the runtime takes with the environment's settings")
          ->excludes(explain);
  // A table for each rank is made to answer.
  constexpr int kMostNodes = 1 << 20;
  constexpr int kMostRanksPerNode = 256;
  app.add_option("--nodes", question.nodes, "With --memory: nodes of the job")
      ->check(CLI::Range(1, kMostNodes))
      ->capture_default_str()
      ->needs(memory_flag);
  CLI::Option* const ppn_option = app.add_option("--ppn", question.ranks_per_node,
                                                 "With --explain or --memory: ranks of a node")
                                      ->check(CLI::Range(1, kMostRanksPerNode))
                                      ->capture_default_str();
  app.add_flag("--crowded", explained.crowded, "With --explain: there are more ranks than cores")
      ->needs(explain);
  app.add_option("--communicators", question.communicators,
                 "With --memory: communicators of all ranks, alive at a time")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->needs(memory_flag);
  app.add_option("--order", order, "With --memory: which ranks are on a node")
      ->check(CLI::IsMember({"blocks", "cyclic", "irregular"}))
      ->capture_default_str()
      ->needs(memory_flag);
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
  if (rules) {
    std::fputs(std::string(mpiactor::inter::built_in_table()).c_str(), stdout);
    return 0;
  }
  for (const CLI::Option* const option : {bytes_option, ppn_option}) {
    if (option->count() == 0 || memory || !explained.collective.empty()) continue;
    std::fprintf(stderr, "mpiactor-info: %s goes with --explain or --memory\n",
                 option->get_name().c_str());
    return kUsageError;
  }
  if (memory) {
    question.order = info::rank_order_of(order);
    return print_memory(question, bytes, json);
  }
  if (!explained.collective.empty()) {
    explained.ranks_per_node = question.ranks_per_node;
    return print_explanation(explained, shape, bytes, json);
  }
  const char* const search_path = std::getenv("PATH");
  const info::Facts facts = info::gather_facts(mpiactor::settings_from_environment(environ),
                                               own_path(), search_path ? search_path : "");
  std::fputs((json ? info::to_json(facts) : info::to_text(facts)).c_str(), stdout);
  return facts.has_errors() ? 1 : 0;
}
