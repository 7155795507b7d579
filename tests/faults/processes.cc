#include "tests/faults/processes.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace mpiactor::testing {
namespace fs = std::filesystem;

namespace {

constexpr const char* kSharedMemory = "/dev/shm";

// Empty where the process has gone: processes come and go while we look.
std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<pid_t> processes_with(const std::string& entry) {
  const std::string wanted = '\0' + entry + '\0';
  std::vector<pid_t> found;
  for (const auto& directory : fs::directory_iterator("/proc")) {
    const std::string name = directory.path().filename();
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    // A zombie has no environment any more.
    if (('\0' + content("/proc/" + name + "/environ")).find(wanted) != std::string::npos) {
      found.push_back(std::atoi(name.c_str()));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

// A letter, or "gone".
std::string state_of(pid_t pid) {
  const std::string stat = content("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t end_of_name = stat.rfind(')');
  return end_of_name == std::string::npos ? "gone" : stat.substr(end_of_name + 2, 1);
}

}  // namespace

bool is_alive(pid_t pid) {
  const std::string state = state_of(pid);
  return state != "gone" && state != "Z" && state != "X";
}

std::string describe_process(pid_t pid) {
  return "pid " + std::to_string(pid) + ": " + state_of(pid) + ", waits in " +
         content("/proc/" + std::to_string(pid) + "/wchan");
}

bool make_private_shared_memory() {
  if (unshare(CLONE_NEWNS) != 0) return false;
  // Else the mount below would show outside as well.
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("tmpfs", kSharedMemory, "tmpfs", 0, "mode=1777,size=512m") == 0;
}

std::vector<std::string> names_in_shared_memory() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kSharedMemory)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

void empty_shared_memory() {
  for (const std::string& name : names_in_shared_memory()) {
    fs::remove(fs::path(kSharedMemory) / name);
  }
}

pid_t creator_of(const std::string& name) {
  std::istringstream parts(name);
  std::string part;
  if (!std::getline(parts, part, '.') || part != "mpiactor") return 0;
  for (int skipped = 0; skipped < 2; ++skipped) std::getline(parts, part, '.');
  std::getline(parts, part, '.');
  return std::atoi(part.c_str());
}

pid_t start(const std::vector<std::string>& arguments, const std::string& output_file) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error("starting " + arguments[0] + ": " + strerror(error));
  return pid;
}

}  // namespace mpiactor::testing
