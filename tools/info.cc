// mpiactor-info: what the runtime would find here.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "actor/config/settings.h"
#include "apps/common/printing.h"
#include "inter/built_in_rules.h"
#include "inter/tofu_algos/torus.h"
#include "third_party/cli11/cli.h"
#include "tools/info_explain.h"
#include "tools/info_facts.h"
#include "tools/info_format.h"
#include "tools/info_memory.h"

namespace {

namespace cli = mpiactor::cli;

using mpiactor::apps::print;

constexpr int kUsageError = 2;

std::filesystem::path own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : path;
}

// A wrong value of an option.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::uint64_t size_of(const std::string& option, const std::string& text) {
  std::uint64_t size = 0;
  try {
    size = mpiactor::parse_bytes(text);
  } catch (const mpiactor::SettingError& error) {
    throw UsageError(option + " " + text + ": " + error.what());
  }
  if (size == 0) throw UsageError(option + " 0: at least 1 is needed");
  return size;
}

mpiactor::inter::Shape shape_of(const std::string& text) {
  try {
    return mpiactor::inter::parse_shape(text);
  } catch (const mpiactor::inter::TorusError& error) {
    throw UsageError(std::string("--shape: ") + error.what());
  }
}

mpiactor::info::Explanation explanation_of(const mpiactor::info::Question& question) {
  try {
    return mpiactor::info::explain(question);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

std::string memory_text(mpiactor::MemoryQuestion question, const std::string& bytes, bool json) {
  namespace info = mpiactor::info;
  question.settings = mpiactor::parse_settings(mpiactor::settings_from_environment(environ));
  question.tuning = info::read_tuning(question.settings);
  question.message_bytes = size_of("--bytes", bytes);
  const mpiactor::MemoryNeed need = mpiactor::memory_need(question);
  return json ? info::to_json(question, need) : info::to_text(question, need);
}

// With the environment's settings and tuning table, as the runtime would.
std::string explanation_text(mpiactor::info::Question question, const std::string& shape,
                             const std::string& bytes, bool json) {
  namespace info = mpiactor::info;
  question.settings = mpiactor::parse_settings(mpiactor::settings_from_environment(environ));
  question.tuning = info::read_tuning(question.settings);
  question.bytes = size_of("--bytes", bytes);
  question.shape = shape_of(shape);
  const info::Explanation explanation = explanation_of(question);
  return json ? info::to_json(explanation) : info::to_text(explanation);
}

int run(int argc, char** argv) {
  bool json = false;
  bool markdown = false;
  cli::App app(
      "Prints the runtime's version, the machine as it sees it, every setting with its value from "
      "the environment, the algorithms and where the libraries are. Exit status: 0; 1 where the "
      "environment holds a wrong value, or nothing can be printed; 2 for a wrong command line.",
      "mpiactor-info");
  const cli::Option json_flag = app.add_flag("--json", json, "As JSON");
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
  const cli::Option explain_option =
      app.add_option(
             "--explain", explained.collective,
             "Instead: who serves this collective, by its bytes, and why; and the predicted "
             "times of all plans between nodes")
          ->check(cli::IsMember(mpiactor::info::explained_collectives()));
  app.add_option("--shape", shape,
                 "With --explain: nodes, as 384, 64x6 or 8x6x8 (m after an extent: mesh)")
      ->capture_default_str()
      ->needs(explain_option);
  const cli::Option bytes_option =
      app.add_option(
             "--bytes", bytes,
             "With --explain: what plans move, with K, M or G; with --memory: the longest message")
          ->capture_default_str();
  bool memory = false;
  mpiactor::MemoryQuestion question;
  std::string order = "blocks";
  const cli::Option memory_flag =
      app.add_flag("--memory", memory,
                   "Instead: the memory that the runtime takes with the environment's settings")
          ->excludes(explain_option);
  // A table for each rank is made to answer.
  constexpr int kMostNodes = 1 << 20;
  constexpr int kMostRanksPerNode = 256;
  app.add_option("--nodes", question.nodes, "With --memory: nodes of the job")
      ->check(cli::Range(1, kMostNodes))
      ->capture_default_str()
      ->needs(memory_flag);
  const cli::Option ppn_option = app.add_option("--ppn", question.ranks_per_node,
                                                "With --explain or --memory: ranks of a node")
                                     ->check(cli::Range(1, kMostRanksPerNode))
                                     ->capture_default_str();
  app.add_flag("--crowded", explained.crowded, "With --explain: there are more ranks than cores")
      ->needs(explain_option);
  app.add_option("--communicators", question.communicators,
                 "With --memory: communicators of all ranks, alive at a time")
      ->check(cli::Range(1, 1000000))
      ->capture_default_str()
      ->needs(memory_flag);
  app.add_option("--order", order, "With --memory: which ranks are on a node")
      ->check(cli::IsMember({"blocks", "cyclic", "irregular"}))
      ->capture_default_str()
      ->needs(memory_flag);
  try {
    app.parse(argc, argv);
  } catch (const cli::ParseError& error) {
    std::ostringstream out;
    if (app.exit(error, out, std::cerr) != 0) return kUsageError;
    print(out.str());
    return 0;
  }

  namespace info = mpiactor::info;
  if (markdown) {
    print(info::settings_as_markdown(info::setting_facts({})));
    return 0;
  }
  if (rules) {
    print(std::string(mpiactor::inter::built_in_table()));
    return 0;
  }
  for (const cli::Option& option : {bytes_option, ppn_option}) {
    if (option->count() == 0 || memory || !explained.collective.empty()) continue;
    std::fprintf(stderr, "mpiactor-info: %s goes with --explain or --memory\n",
                 option->get_name().c_str());
    return kUsageError;
  }
  if (memory) {
    question.order = info::rank_order_of(order);
    print(memory_text(question, bytes, json));
    return 0;
  }
  if (!explained.collective.empty()) {
    explained.ranks_per_node = question.ranks_per_node;
    print(explanation_text(explained, shape, bytes, json));
    return 0;
  }
  const char* const search_path = std::getenv("PATH");
  const info::Facts facts = info::gather_facts(mpiactor::settings_from_environment(environ),
                                               own_path(), search_path ? search_path : "");
  print(json ? info::to_json(facts) : info::to_text(facts));
  return facts.has_errors() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return mpiactor::apps::run_printing("mpiactor-info", [&] {
    try {
      return run(argc, argv);
    } catch (const UsageError& error) {
      std::fprintf(stderr, "mpiactor-info: %s\n", error.what());
      return kUsageError;
    }
  });
}
