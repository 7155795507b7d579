#include "actor/config/settings_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "actor/config/settings.h"

namespace mpiactor {
namespace {

constexpr std::size_t kLongestText = 2000;

std::string read_all(int descriptor) {
  std::string text;
  std::vector<char> piece(1 << 16);
  for (;;) {
    const ssize_t bytes = read(descriptor, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) throw SettingError(std::strerror(errno));
    if (bytes == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(bytes));
    if (text.size() > kLongestSettingsFile) throw SettingError("longer than 64 MiB");
  }
}

}  // namespace

std::string read_settings_file(const std::string& path) {
  // Not blocking: opening a pipe that nobody writes would wait for ever.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) throw SettingError(std::strerror(errno));
  try {
    struct stat facts;
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
      throw SettingError("not a regular file");
    }
    std::string text = read_all(descriptor);
    close(descriptor);
    return text;
  } catch (...) {
    close(descriptor);
    throw;
  }
}

std::string printable(std::string_view text) {
  std::string shown(text.substr(0, kLongestText));
  std::replace_if(
      shown.begin(), shown.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  if (text.size() > kLongestText) shown += "...";
  return shown;
}

}  // namespace mpiactor
