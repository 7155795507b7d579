// Costs of work out of the report of an earlier run, so that several runs can sleep the same steps.
#ifndef MPIACTOR_APPS_COMMON_COST_FILE_H_
#define MPIACTOR_APPS_COMMON_COST_FILE_H_

#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/common/asleep.h"

namespace mpiactor::apps {

// Collective. Gives each of `kinds` the samples of this rank in `file`, the report that a run of
// `program` has written by --json. `work` is what samples depend on, as reports have it, and must
// be the same there; so must the number of ranks. Where it is no such file, rank 0 says what is
// wrong and all ranks throw AgreedFailure.
void read_costs(const std::string& program, const std::string& file, nlohmann::json work,
                const std::vector<UnitCosts*>& kinds, MPI_Comm comm);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_COST_FILE_H_
