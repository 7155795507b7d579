// A modelled machine as selection sees it.
#ifndef MPIACTOR_SIM_REPRODUCE_LINK_OF_MACHINE_H_
#define MPIACTOR_SIM_REPRODUCE_LINK_OF_MACHINE_H_

#include "inter/cost_model.h"
#include "sim/machine.h"

namespace mpiactor::sim {

// The cost model's parameters, all of them from the machine file.
inter::LinkModel link_of(const Machine& machine);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_REPRODUCE_LINK_OF_MACHINE_H_
