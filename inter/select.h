// Which algorithm and segment size a collective uses between nodes.
#ifndef MPIACTOR_INTER_SELECT_H_
#define MPIACTOR_INTER_SELECT_H_

#include <cstdint>
#include <string_view>

#include "inter/plan.h"
#include "inter/registry.h"

namespace mpiactor::inter {

struct Selection {
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_bytes = 0;
};

// `name`: a registered algorithm or "auto". `segment_bytes`: 0 for the best one.
// Depends on its arguments alone, so every rank selects the same.
Selection select_bcast(const Shape& shape, std::uint64_t bytes, std::string_view name,
                       std::uint64_t segment_bytes);

}  // namespace mpiactor::inter

#endif  // MPIACTOR_INTER_SELECT_H_
