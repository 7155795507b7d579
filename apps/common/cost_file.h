// Costs of work out of the report of an earlier run, so that several runs can sleep the same steps.
#ifndef MPIACTOR_APPS_COMMON_COST_FILE_H_
#define MPIACTOR_APPS_COMMON_COST_FILE_H_

#include <mpi.h>

#include <string>
#include <vector>

#include "apps/common/asleep.h"

namespace mpiactor::apps {

// Collective. Gives each of `kinds` the samples of this rank in `file`, which a run of `program`
// with as many ranks on the same `input` has written by --json. Where it is no such file, rank 0
// says what is wrong and all ranks throw AgreedFailure.
void read_costs(const std::string& program, const std::string& file, const std::string& input,
                const std::vector<UnitCosts*>& kinds, MPI_Comm comm);

}  // namespace mpiactor::apps

#endif  // MPIACTOR_APPS_COMMON_COST_FILE_H_
