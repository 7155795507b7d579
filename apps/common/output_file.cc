#include "apps/common/output_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace mpiactor::apps {
namespace {

namespace fs = std::filesystem;

bool are_one(const std::string& a, const std::string& b) {
  std::error_code none;
  if (fs::exists(a, none) && fs::exists(b, none)) {
    // Devices are no files that one loses.
    return fs::is_regular_file(a, none) && fs::equivalent(a, b, none);
  }
  return fs::weakly_canonical(fs::absolute(a, none), none) ==
         fs::weakly_canonical(fs::absolute(b, none), none);
}

}  // namespace

void refuse_lost_files(const std::vector<NamedFile>& inputs,
                       const std::vector<NamedFile>& outputs) {
  std::vector<NamedFile> before = inputs;
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    for (const NamedFile& other : before) {
      if (!other.path.empty() && are_one(output.path, other.path)) {
        throw std::runtime_error(
            fmt::format("{} {}: is the file of {}, too", output.option, output.path, other.option));
      }
    }
    before.push_back(output);
  }
}

OutputFile::OutputFile(const std::string& option, const std::string& path)
    : label_(fmt::format("{} {}", option, path)),
      path_(path),
      file_(path, std::ios::binary | std::ios::app) {
  if (!file_) {
    throw std::runtime_error(
        fmt::format("{}: cannot be opened for writing: {}", label_, std::strerror(errno)));
  }
}

void OutputFile::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  std::error_code error;
  if (fs::is_regular_file(path_, error)) fs::resize_file(path_, 0, error);
  if (error) file_.setstate(std::ios::badbit);
}

void OutputFile::write(const void* data, std::size_t bytes) {
  begin();
  file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}

void OutputFile::finish() {
  begin();
  file_.close();
  if (!file_) throw std::runtime_error(fmt::format("{}: writing failed", label_));
}

void OutputFile::finish(const std::string& text) {
  write(text);
  finish();
}

}  // namespace mpiactor::apps
