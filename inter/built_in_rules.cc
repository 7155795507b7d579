#include "inter/built_in_rules.h"

#include <array>
#include <cstddef>
#include <vector>

#include "inter/lasting.h"
#include "inter/rules_text.h"
#include "inter/tofu_algos/torus.h"

namespace mpiactor::inter {
namespace {

using RulesOfCalls = std::array<std::vector<Rule>, kCalls>;

RulesOfCalls make_rules() {
  RulesOfCalls rules;
#include "inter/rules_table.inc"  // by write_rules
  return rules;
}

}  // namespace

std::string_view built_in_table() { return kRulesText; }

std::span<const Rule> built_in_rules(Call call) {
  static Lasting<const RulesOfCalls> rules(make_rules());
  return (*rules)[static_cast<std::size_t>(call)];
}

}  // namespace mpiactor::inter
