#include "actor/container/machine.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace mpiactor {
namespace {

int count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return std::max(0, hwloc_get_nbobjs_by_type(topology, type));
}

// Number of the first one that has any of `cpus`, in hwloc's order, which goes down the tree; 0
// where there is none.
int find(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t cpus) {
  for (int i = 0; cpus && i < count(topology, type); ++i) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, static_cast<unsigned>(i));
    if (object && object->cpuset && hwloc_bitmap_intersects(object->cpuset, cpus)) return i;
  }
  return 0;
}

}  // namespace

Machine describe_machine(hwloc_topology_t topology, hwloc_const_cpuset_t cpus) {
  Machine machine;
  machine.cores = std::max(1, count(topology, HWLOC_OBJ_PU));
  machine.numa_domains = std::max(1, count(topology, HWLOC_OBJ_NUMANODE));
  machine.my_numa_domain = find(topology, HWLOC_OBJ_NUMANODE, cpus);
  machine.caches = count(topology, HWLOC_OBJ_L3CACHE);
  const bool by_cache = machine.caches > machine.numa_domains;
  machine.domains = by_cache ? machine.caches : machine.numa_domains;
  machine.my_domain = by_cache ? find(topology, HWLOC_OBJ_L3CACHE, cpus) : machine.my_numa_domain;
  return machine;
}

Machine detect_machine() {
  Machine machine;
  machine.cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  if (access("/sys/devices/system/cpu", R_OK) != 0)
    return machine;  // of which hwloc would complain
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return machine;
  // All of the machine's: ranks may be bound to different parts of it.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  // Leaving out what does not matter here makes loading fast.
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PU, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(topology) == 0) {
    hwloc_cpuset_t cpus = hwloc_bitmap_alloc();
    const bool is_known = hwloc_get_last_cpu_location(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0;
    machine = describe_machine(topology, is_known ? cpus : nullptr);
    hwloc_bitmap_free(cpus);
  }
  hwloc_topology_destroy(topology);
  return machine;
}

CoreBits find_forbidden_cores() {
  CoreBits cores{};
  if (sched_getaffinity(0, sizeof cores, reinterpret_cast<cpu_set_t*>(cores.data())) != 0) {
    return {};
  }
  for (std::uint64_t& word : cores) word = ~word;
  return cores;
}

}  // namespace mpiactor
