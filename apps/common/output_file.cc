#include "apps/common/output_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace mpiactor::apps {

OutputFile::OutputFile(const std::string& option, const std::string& path)
    : label_(fmt::format("{} {}", option, path)), file_(path, std::ios::binary | std::ios::trunc) {
  if (!file_) {
    throw std::runtime_error(
        fmt::format("{}: cannot be opened for writing: {}", label_, std::strerror(errno)));
  }
}

void OutputFile::write(const void* data, std::size_t bytes) {
  file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}

void OutputFile::finish() {
  file_.close();
  if (!file_) throw std::runtime_error(fmt::format("{}: writing failed", label_));
}

void OutputFile::finish(const std::string& text) {
  write(text);
  finish();
}

}  // namespace mpiactor::apps
