// When recording begins and ends, and how the ranks' files become one.
#ifndef MPIACTOR_ACTOR_TRACE_RECORDER_H_
#define MPIACTOR_ACTOR_TRACE_RECORDER_H_

#include <string>

namespace mpiactor::trace {

struct Job {
  std::string path;          // MPIACTOR_TRACE; rank r writes path.r while the program runs
  std::string leader;        // MPIACTOR_LEADER
  std::string version_text;  // of the runtime
  int node = 0;              // of this rank
};

// Collective over MPI_COMM_WORLD. Records from here on, on all ranks, or, where one of them cannot
// write, on none; then says why on the lowest of these ranks (empty elsewhere).
std::string start_recording(const Job& job);

// Collective over MPI_COMM_WORLD; nothing where start_recording() failed. Merges the ranks' files
// into one and removes them. Where that fails they stay and rank 0 gets the reason. Also says where
// records were lost.
std::string stop_recording();

}  // namespace mpiactor::trace

#endif  // MPIACTOR_ACTOR_TRACE_RECORDER_H_
