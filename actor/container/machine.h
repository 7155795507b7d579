// What hwloc says of this machine.
#ifndef MPIACTOR_ACTOR_CONTAINER_MACHINE_H_
#define MPIACTOR_ACTOR_CONTAINER_MACHINE_H_

namespace mpiactor {

struct Machine {
  int cores = 1;  // processing units that this machine has (and the container allows)
  int numa_domains = 1;
  int my_numa_domain = 0;  // of the processing units that this process is bound to, or its last one
};

// Where hwloc cannot tell, one NUMA domain and the kernel's count of processors.
Machine detect_machine();

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_MACHINE_H_
