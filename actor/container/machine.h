// What hwloc says of this machine.
#ifndef MPIACTOR_ACTOR_CONTAINER_MACHINE_H_
#define MPIACTOR_ACTOR_CONTAINER_MACHINE_H_

#include <array>
#include <cstdint>

struct hwloc_bitmap_s;
struct hwloc_topology;

namespace mpiactor {

struct Machine {
  int cores = 1;  // processing units that this machine has (and the container allows)
  int numa_domains = 1;
  int my_numa_domain = 0;  // of the processing units that this process is bound to, or its last one
  int caches = 0;          // of level 3
  // Cores that share a cache of level 3, or a NUMA domain where there are more of these. Those of
  // one NUMA domain have successive numbers.
  int domains = 1;
  int my_domain = 0;
};

// Where hwloc cannot tell, one domain and the kernel's count of processors.
Machine detect_machine();

// A bit for each processing unit that the kernel can have.
using CoreBits = std::array<std::uint64_t, 8192 / 64>;

// Those that this thread may not run on; none where that is not known.
CoreBits find_forbidden_cores();

// `topology`: loaded, with NUMA domains and caches of level 3. `cpus`: of this process; nullptr:
// not known.
Machine describe_machine(hwloc_topology* topology, const hwloc_bitmap_s* cpus);

}  // namespace mpiactor

#endif  // MPIACTOR_ACTOR_CONTAINER_MACHINE_H_
