// Sizes, shapes and names as they are typed.
#ifndef MPIACTOR_SIM_ARGUMENTS_H_
#define MPIACTOR_SIM_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "inter/plan.h"
#include "inter/registry.h"
#include "sim/machine.h"

namespace mpiactor::sim {

// All of these throw InputError; `what` names the argument in its text.

// "16384", "16K", "4M", "1G": powers of 1024. 1 B to 1 TiB.
std::uint64_t parse_bytes(const std::string& text, const std::string& what);

// A list of sizes and ranges, "1K,3K,64K..1G"; a range goes in doublings and includes its end.
std::vector<std::uint64_t> parse_byte_list(const std::string& text, const std::string& what);

// The shortest text that parse_bytes() turns into `bytes`.
std::string format_bytes(std::uint64_t bytes);

// "384", "64x6", "8x6x8"; an axis that ends in m does not wrap around ("24x18mx16").
inter::Shape parse_shape(const std::string& text);
std::string format_shape(const inter::Shape& shape);

// 0 to `most_us`; nan is none.
Picoseconds picoseconds(double us, double most_us, const std::string& what);

inter::Collective parse_collective(const std::string& name);

// Also throws where the algorithm cannot run on the shape.
const inter::Algorithm& parse_algorithm(inter::Collective collective, const std::string& name,
                                        const inter::Shape& shape);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_ARGUMENTS_H_
