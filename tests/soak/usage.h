// What this process holds: memory, descriptors, mappings.
#ifndef MPIACTOR_TESTS_SOAK_USAGE_H_
#define MPIACTOR_TESTS_SOAK_USAGE_H_

#include <cstdint>
#include <string>

namespace mpiactor::soak {

struct Usage {
  std::uint64_t private_kb = 0;  // resident, after giving free memory back to the system
  std::uint64_t shared_kb = 0;   // resident in shared memory
  std::uint64_t descriptors = 0;
  std::uint64_t mappings = 0;
};
Usage usage_now();

// The greater of each.
Usage most_of(const Usage& one, const Usage& other);

// "61440 kB private, 8192 kB shared, 14 descriptors, 131 mappings"
std::string describe(const Usage& usage);

// By how much memory may grow.
struct Allowed {
  std::uint64_t private_kb = 0;
  std::uint64_t shared_kb = 0;
};

// Says in what `now` exceeds `before`: memory by more than `allowed`, mappings by more than a few,
// descriptors at all. Empty: in nothing.
std::string growth(const Usage& before, const Usage& now, const Allowed& allowed);

}  // namespace mpiactor::soak

#endif  // MPIACTOR_TESTS_SOAK_USAGE_H_
