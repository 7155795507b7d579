#include "sim/json_file.h"

#include <nlohmann/json.hpp>

#include "sim/text_file.h"

namespace mpiactor::sim {

void write_json(const nlohmann::json& document, const std::string& path) {
  write_text(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", "json",
             path);
}

}  // namespace mpiactor::sim
