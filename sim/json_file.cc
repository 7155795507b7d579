#include "sim/json_file.h"

#include <fmt/format.h>

#include <cstdio>

#include "sim/machine.h"

namespace mpiactor::sim {

void write_json(const nlohmann::json& document, const std::string& path) {
  const std::string text =
      document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) throw InputError(fmt::format("json {}: the file cannot be written", path));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool kept = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
  if (!written || !kept) throw InputError(fmt::format("json {}: writing failed", path));
}

}  // namespace mpiactor::sim
