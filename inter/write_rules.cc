// Writes the built-in table of rules (rules.json) as C++: programs need not parse it.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "inter/calls.h"
#include "inter/tofu_algos/torus.h"
#include "inter/tuning.h"

namespace mpiactor::inter {
namespace {

// A Rule with its fields, in their order, that are not as in any Rule.
std::string as_code(const Rule& rule, Call call) {
  const Rule any;
  std::ostringstream text;
  const auto number = [&](const char* field, auto value, auto usual) {
    if (value != usual) text << " ." << field << " = " << value << ",";
  };
  const auto range = [&](const char* field, const Rule::Range& value) {
    if (value == Rule::Range{}) return;
    text << " ." << field << " = {" << value.least << ", " << value.most << "},";
  };
  const auto truth = [&](const char* field, const std::optional<bool>& value) {
    if (value) text << " ." << field << " = " << (*value ? "true" : "false") << ",";
  };
  const auto choice = [&](const char* field, const char* type, auto value) {
    text << " ." << field << " = " << type << "(" << static_cast<int>(value) << "),";
  };
  text << "Rule{";
  range("nodes", rule.nodes);
  range("ranks", rule.ranks);
  truth("crowded", rule.crowded);
  truth("never_worse", rule.never_worse);
  if (rule.shape) text << " .shape = parse_shape(\"" << text_of(*rule.shape) << "\"),";
  if (rule.network) choice("network", "NetworkKind", *rule.network);
  if (rule.of != any.of) choice("of", "Rule::Measure", rule.of);
  number("least_bytes", rule.least_bytes, any.least_bytes);
  number("up_to_bytes", rule.up_to_bytes, any.up_to_bytes);
  number("blocking", rule.blocking, any.blocking);
  number("by_arrival", rule.by_arrival, any.by_arrival);
  choice("way", "Way", rule.way);
  if (rule.algorithm) {
    text << " .algorithm = find_algorithm(Collective(" << static_cast<int>(*collective_of(call))
         << "), \"" << rule.algorithm->name << "\"),";
  }
  number("segment_bytes", rule.segment_bytes, any.segment_bytes);
  if (!rule.why.empty()) text << " .why = R\"text(" << rule.why << ")text\",";
  text << " .line = " << rule.line << ", .is_built_in = true}";
  return text.str();
}

// rules[...] = {...}; for each call.
std::string as_code(const Tuning& tuning) {
  std::string text;
  for (const Call call : all_calls()) {
    text += "rules[" + std::to_string(static_cast<int>(call)) + "] = {\n";
    for (const Rule& rule : tuning.own(call)) text += "    " + as_code(rule, call) + ",\n";
    text += "};\n";
  }
  return text;
}

}  // namespace
}  // namespace mpiactor::inter

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_rules TABLE.json >CODE\n");
    return 64;
  }
  std::ifstream file(argv[1]);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) {
    std::fprintf(stderr, "write_rules: cannot read %s\n", argv[1]);
    return 1;
  }
  try {
    using mpiactor::inter::Tuning;
    const std::string code = mpiactor::inter::as_code(Tuning::parse(text, argv[1]));
    return std::fputs(code.c_str(), stdout) < 0 || std::fflush(stdout) != 0;
  } catch (const mpiactor::inter::TuningError& error) {
    std::fprintf(stderr, "write_rules: %s\n", error.what());
    return 1;
  }
}
