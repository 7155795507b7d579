// Broadcasts as MPICH and its derivatives do them, all who take part being equal.
#ifndef MPIACTOR_SIM_LIBRARY_PLAN_H_
#define MPIACTOR_SIM_LIBRARY_PLAN_H_

#include <cstdint>
#include <string>

#include "inter/plan.h"

namespace mpiactor::sim {

// MPICH's choice, and that of [CP]: "binomial" below 12 KiB; "rdaas" below 512 KiB where `takers`
// is a power of two; else "ring".
const char* library_algorithm(std::uint64_t bytes, std::int64_t takers);

// `algorithm`: one of these. The broadcasts of inter/ of the same names send nobody a byte twice;
// here the allgather behind the scatter is a whole one. So the root, too, exchanges blocks with
// everybody whom its part meets, and waits for them.
inter::Plan library_plan(const std::string& algorithm, const inter::PlanInput& input);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_LIBRARY_PLAN_H_
