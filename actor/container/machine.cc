#include "actor/container/machine.h"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>

namespace mpiactor {
namespace {

int numa_domain_of_this_process(hwloc_topology_t topology) {
  hwloc_cpuset_t cpus = hwloc_bitmap_alloc();
  int domain = 0;
  if (hwloc_get_last_cpu_location(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0) {
    const int domains = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
    for (int i = 0; i < domains; ++i) {
      const hwloc_obj_t node =
          hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
      if (node && node->cpuset && hwloc_bitmap_intersects(node->cpuset, cpus)) {
        domain = i;
        break;
      }
    }
  }
  hwloc_bitmap_free(cpus);
  return domain;
}

}  // namespace

Machine detect_machine() {
  Machine machine;
  machine.cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return machine;
  // Only processors and memory matter here; leaving the rest out makes loading fast.
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PU, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(topology) == 0) {
    machine.cores = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
    machine.numa_domains = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
    machine.my_numa_domain = numa_domain_of_this_process(topology);
  }
  hwloc_topology_destroy(topology);
  return machine;
}

}  // namespace mpiactor
