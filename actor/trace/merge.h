// The ranks' sections, one behind the other in a file that rank 0 writes.
#ifndef MPIACTOR_ACTOR_TRACE_MERGE_H_
#define MPIACTOR_ACTOR_TRACE_MERGE_H_

#include <mpi.h>

#include <string>

#include "actor/trace/rank_file.h"

namespace mpiactor::trace {

// Collective over `comm`, each rank with its closed file. By messages: hosts need not share a file
// system. The file appears under its name when it is complete. Returns, on all ranks, whether it
// is; rank 0 gets the reason where it is not.
bool merge_sections(MPI_Comm comm, const RankFile& own, const std::string& path, std::string& why);

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_MERGE_H_
