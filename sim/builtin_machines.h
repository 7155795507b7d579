// The files of sim/machines/, compiled in so that the programs need no data directory.
#ifndef MPIACTOR_SIM_BUILTIN_MACHINES_H_
#define MPIACTOR_SIM_BUILTIN_MACHINES_H_

#include <string_view>

namespace mpiactor::sim {

struct BuiltinMachine {
  std::string_view name;
  std::string_view json;
};

inline constexpr BuiltinMachine kBuiltinMachines[] = {
#include "sim/builtin_machines.inc"
};

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_BUILTIN_MACHINES_H_
