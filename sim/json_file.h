// Results as JSON, to a file or to standard output.
#ifndef MPIACTOR_SIM_JSON_FILE_H_
#define MPIACTOR_SIM_JSON_FILE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mpiactor::sim {

// "-": standard output. Throws InputError where it cannot be written.
void write_json(const nlohmann::json& document, const std::string& path);

}  // namespace mpiactor::sim

#endif  // MPIACTOR_SIM_JSON_FILE_H_
