#include "apps/asp/graph_readers.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace mpiactor::asp {
namespace {

constexpr std::string_view kMatrixMarketBanner = "%%MatrixMarket";

bool starts_with_banner(std::istream& input) {
  std::string start(kMatrixMarketBanner.size(), '\0');
  input.read(start.data(), static_cast<std::streamsize>(start.size()));
  const bool found = input.good() && start == kMatrixMarketBanner;
  input.clear();
  input.seekg(0);
  return found;
}

}  // namespace

Graph read_graph_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw GraphError(fmt::format("{}: is a directory, not a graph file", path));
  }
  std::ifstream file(path);
  if (!file) throw GraphError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  const bool is_matrix_market = path.ends_with(".mtx") || starts_with_banner(file);
  if (!file) throw GraphError(fmt::format("{}: cannot be read twice; allowed is a file", path));
  if (is_matrix_market) return read_matrix_market(file, path);
  return read_dimacs(file, path);
}

}  // namespace mpiactor::asp
