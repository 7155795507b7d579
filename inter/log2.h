#ifndef MPIACTOR_INTER_LOG2_H_
#define MPIACTOR_INTER_LOG2_H_

#include <bit>
#include <cstdint>

namespace mpiactor::inter {

// Of value >= 1.
inline int floor_log2(std::int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}
inline int ceil_log2(std::int64_t value) { return value <= 1 ? 0 : floor_log2(value - 1) + 1; }

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_LOG2_H_
