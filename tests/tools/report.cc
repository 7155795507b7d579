// An MPI program that says where it runs and with what: one line per fact, "RANK name=value".
// Usage: report [exit=CODE] [sleep=SECONDS] [kill=RANK] [anything else]...
#include <dlfcn.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

void say_environment(std::ostream& out, int rank, const char* name) {
  const char* value = std::getenv(name);
  out << rank << " " << name << "=" << (value == nullptr ? "(unset)" : value) << "\n";
}

std::string link_target(const char* path) {
  std::array<char, 256> target{};
  const ssize_t length = readlink(path, target.data(), target.size());
  return length < 0 ? "(none)" : std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  std::ostringstream out;
  int exit_code = 0;
  unsigned sleep_s = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    out << rank << " argument=" << argument << "\n";
    if (argument.starts_with("exit=")) exit_code = std::atoi(argv[i] + 5);
    if (argument.starts_with("sleep=")) sleep_s = static_cast<unsigned>(std::atoi(argv[i] + 6));
    if (argument.starts_with("kill=") && std::atoi(argv[i] + 5) == rank) std::raise(SIGKILL);
  }

  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  struct stat shared_memory {};
  stat("/dev/shm", &shared_memory);
  out << rank << " ranks=" << ranks << "\n"
      << rank << " host=" << host.data() << "\n"
      << rank << " network=" << link_target("/proc/self/ns/net") << "\n"
      << rank << " shared_memory_device=" << shared_memory.st_dev << "\n"
      << rank << " session=" << getsid(0) << "\n"
      << rank << " probe=" << (dlsym(RTLD_DEFAULT, "probe_runtime") != nullptr) << "\n";
  for (const char* name :
       {"MPIACTOR_LEADER", "MPIACTOR_NODES", "MPIACTOR_WAIT", "MPIACTOR_POLITE_POLLS",
        "MPIACTOR_POLITE_FINALIZE", "PASSED_BY_MPIEXEC"}) {
    say_environment(out, rank, name);
  }

  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  out << rank << " sum=" << sum << "\n";
  std::cout << out.str() << std::flush;
  if (sleep_s > 0) sleep(sleep_s);
  MPI_Finalize();
  return rank == ranks - 1 ? exit_code : 0;
}
