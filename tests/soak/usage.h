// What this process holds: memory, descriptors, mappings.
#ifndef MPIACTOR_TESTS_SOAK_USAGE_H_
#define MPIACTOR_TESTS_SOAK_USAGE_H_

#include <cstdint>
#include <string>

namespace mpiactor::soak {

struct Usage {
  std::uint64_t resident_kb = 0;  // after giving free memory back to the system
  std::uint64_t descriptors = 0;
  std::uint64_t mappings = 0;
};
Usage usage_now();

// The greater of each.
Usage most_of(const Usage& one, const Usage& other);

// "61440 kB resident, 14 descriptors, 131 mappings"
std::string describe(const Usage& usage);

// Says in what `now` exceeds `before`: memory by more than `growth_kb`, mappings by more than a
// few, descriptors at all. Empty: in nothing.
std::string growth(const Usage& before, const Usage& now, std::uint64_t growth_kb);

}  // namespace mpiactor::soak

#endif  // MPIACTOR_TESTS_SOAK_USAGE_H_
