// The rules that hold where a tuning table has none: inter/rules.json, as it was when this was
// built.
#ifndef MPIACTOR_INTER_BUILT_IN_RULES_H_
#define MPIACTOR_INTER_BUILT_IN_RULES_H_

#include <span>
#include <string_view>

#include "inter/calls.h"
#include "inter/tuning.h"

namespace mpiactor::inter {

std::span<const Rule> built_in_rules(Call call);
// Their text.
std::string_view built_in_table();

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_BUILT_IN_RULES_H_
