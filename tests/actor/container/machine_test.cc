// Machines that hwloc makes up: cores, NUMA domains, caches.
#include "actor/container/machine.h"

#include <gtest/gtest.h>
#include <hwloc.h>

namespace mpiactor {
namespace {

// On machine `text`, in hwloc's notation of synthetic ones, bound to core `core`.
Machine describe(const char* text, unsigned core) {
  hwloc_topology_t topology;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, text), 0) << text;
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
  hwloc_bitmap_set(cpus, core);
  const Machine machine = describe_machine(topology, cpus);
  hwloc_bitmap_free(cpus);
  hwloc_topology_destroy(topology);
  return machine;
}

TEST(Machine, DomainsAreCachesWhereTheyAreMore) {
  const char* const text = "numa:2 l3:4 core:8 pu:1";
  for (const unsigned core : {0u, 7u, 8u, 37u, 63u}) {
    const Machine machine = describe(text, core);
    EXPECT_EQ(machine.cores, 64);
    EXPECT_EQ(machine.numa_domains, 2);
    EXPECT_EQ(machine.caches, 8);
    EXPECT_EQ(machine.domains, 8);
    EXPECT_EQ(machine.my_domain, static_cast<int>(core / 8)) << core;
    EXPECT_EQ(machine.my_numa_domain, static_cast<int>(core / 32)) << core;
  }
}

TEST(Machine, ElseTheyAreNumaDomains) {
  const Machine without = describe("numa:4 core:2 pu:1", 5);
  EXPECT_EQ(without.caches, 0);
  EXPECT_EQ(without.domains, 4);
  EXPECT_EQ(without.my_domain, 2);
  const Machine shared = describe("l3:1 numa:4 core:2 pu:1", 7);
  EXPECT_EQ(shared.caches, 1);
  EXPECT_EQ(shared.domains, 4);
  EXPECT_EQ(shared.my_domain, 3);
}

TEST(Machine, WhereTheProcessIsMayBeUnknown) {
  hwloc_topology_t topology;
  ASSERT_EQ(hwloc_topology_init(&topology), 0);
  ASSERT_EQ(hwloc_topology_set_synthetic(topology, "numa:2 core:2 pu:2"), 0);
  ASSERT_EQ(hwloc_topology_load(topology), 0);
  const Machine machine = describe_machine(topology, nullptr);
  hwloc_topology_destroy(topology);
  EXPECT_EQ(machine.cores, 8);
  EXPECT_EQ(machine.domains, 2);
  EXPECT_EQ(machine.my_domain, 0);
}

TEST(Machine, ThisOneIsConsistent) {
  const Machine machine = detect_machine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_GE(machine.domains, machine.numa_domains);
  EXPECT_LT(machine.my_domain, machine.domains);
  EXPECT_LT(machine.my_numa_domain, machine.numa_domains);
}

}  // namespace
}  // namespace mpiactor
