#include "sim/text_file.h"

#include <fmt/format.h>

#include <cstdio>

#include "sim/machine.h"

namespace mpiactor::sim {

void write_text(const std::string& text, const std::string& option, const std::string& path) {
  std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    throw InputError(fmt::format("{} {}: the file cannot be written", option, path));
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool kept = file == stdout ? std::fflush(file) == 0 : std::fclose(file) == 0;
  if (!written || !kept) throw InputError(fmt::format("{} {}: writing failed", option, path));
}

}  // namespace mpiactor::sim
