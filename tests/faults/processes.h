// What the fault tests ask of the kernel: which processes belong to a run, and what a run has left
// in shared memory.
#ifndef MPIACTOR_TESTS_FAULTS_PROCESSES_H_
#define MPIACTOR_TESTS_FAULTS_PROCESSES_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace mpiactor::testing {

// Living processes whose environment has `entry` ("NAME=VALUE"), in the order of their numbers.
std::vector<pid_t> processes_with(const std::string& entry);

// Whether it is there, and has not ended.
bool is_alive(pid_t pid);

// "pid 12: S, waits in futex_wait": for messages.
std::string describe_process(pid_t pid);

// Gives the calling thread, and what it starts, an empty /dev/shm of its own. False where that is
// not permitted.
bool make_private_shared_memory();

// Names in /dev/shm.
std::vector<std::string> names_in_shared_memory();
void empty_shared_memory();

// The process that the runtime named a segment after (mpiactor.USER.JOB.PID.NUMBER); 0 where the
// name is not the runtime's.
pid_t creator_of(const std::string& name);

// Starts `arguments`, output into `output_file`, as the leader of a process group. Throws
// std::runtime_error.
pid_t start(const std::vector<std::string>& arguments, const std::string& output_file);

}  // namespace mpiactor::testing

#endif  // MPIACTOR_TESTS_FAULTS_PROCESSES_H_
