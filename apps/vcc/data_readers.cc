#include "apps/vcc/data_readers.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "apps/vcc/npy_header.h"

namespace mpiactor::vcc {

DataTable read_data_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw DataError(fmt::format("{}: is a directory; allowed is a file", path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string start(kNpyMagic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (file.bad()) throw DataError(fmt::format("{}: cannot be read", path));
  file.clear();
  file.seekg(0);
  if (!file) throw DataError(fmt::format("{}: cannot be read twice; allowed is a file", path));
  if (start == kNpyMagic || path.ends_with(".npy")) return read_npy(file, path);
  return read_csv(file, path);
}

}  // namespace mpiactor::vcc
