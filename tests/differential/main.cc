// A random program of collectives, drawn from a seed alike on all ranks, whose every result is
// compared with what the arguments say. A plain MPI program: it knows of no runtime.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/differential/mpi_names.h"
#include "tests/differential/program.h"
#include "third_party/cli11/cli.h"

namespace {

namespace cli = mpiactor::cli;

using namespace differential;

// "3,7-9" as numbers.
std::vector<int> numbers_of(const std::vector<std::string>& ranges) {
  std::vector<int> numbers;
  for (const std::string& range : ranges) {
    const std::size_t dash = range.find('-');
    const int first = std::stoi(range.substr(0, dash));
    const int last = dash == std::string::npos ? first : std::stoi(range.substr(dash + 1));
    for (int i = first; i <= last; ++i) numbers.push_back(i);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Options parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> keep;
  std::vector<std::string> without;
  cli::App app("A random MPI program whose results are all checked.");
  app.add_option("--seed", options.seed, "of the program");
  app.add_option("--steps", options.steps, "how many; 0: as many as there is time for");
  app.add_option("--seconds", options.seconds, "how long; 0: as many steps as said");
  app.add_option("--first-step", options.first_step, "leave out those before");
  app.add_option("--keep", keep, "only these steps: 3,7-9")->delimiter(',');
  app.add_option("--without", without, "parts of programs to leave out")
      ->delimiter(',')
      ->check(cli::IsMember(kFeatures));
  app.add_option("--threads", options.threads, "1, or 2: a program each, on worlds of their own")
      ->check(cli::Range(1, 2));
  app.add_flag("--print", options.print, "print the program");
  app.add_flag("--wrong-sizes", options.wrong_sizes, "also calls that end in errors");
  try {
    app.parse(argc, argv);
    if (options.steps == 0 && options.seconds == 0) options.steps = 200;
    options.keeps_all = keep.empty();
    options.keep = numbers_of(keep);
  } catch (const cli::ParseError& error) {
    std::exit(app.exit(error));
  }
  options.without.insert(without.begin(), without.end());
  if (!kHasMpi4) options.without.insert("large_counts");
  // Open MPI 4.1 fails in persistent calls, and may hang where inter-communicators are made while
  // a receive from anybody is pending, and any others while nonblocking collectives are. As the
  // tests start it, it may lose a put, and it receives long messages beyond buffers that are short.
  if (kIsOpenMpi) {
    options.without.insert({"persistent", "between", "nonblocking", "windows", "wrong_sizes"});
  }
  return options;
}

}  // namespace

// In place of the C library's: where MPIACTOR_TORUS names a file of hosts, each rank has its own.
extern "C" int gethostname(char* name, std::size_t length) {
  const char* const torus = std::getenv("MPIACTOR_TORUS");
  if (torus != nullptr && std::strncmp(torus, "file:", 5) == 0) {
    const char* const mpich = std::getenv("PMI_RANK");
    std::snprintf(name, length, "host%s", mpich ? mpich : std::getenv("OMPI_COMM_WORLD_RANK"));
    return 0;
  }
  utsname machine;
  uname(&machine);
  std::snprintf(name, length, "%s", machine.nodename);
  return 0;
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const int wanted = options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  if (provided < wanted) fail("MPI_Init_thread", "there is no support for threads");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say_where_on_signal(rank);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);

  std::vector<MPI_Comm> worlds = {MPI_COMM_WORLD};
  std::vector<std::unique_ptr<Program>> programs;
  programs.push_back(std::make_unique<Program>(MPI_COMM_WORLD, options, 0));
  if (options.threads > 1) {
    worlds.emplace_back();
    MPI_Comm_dup(MPI_COMM_WORLD, &worlds.back());
    programs.push_back(std::make_unique<Program>(worlds.back(), options, 1));
    std::thread other([&] { programs[1]->run(); });
    programs[0]->run();
    other.join();
  } else {
    programs[0]->run();
  }

  long calls = 0;
  for (const auto& program : programs) calls += program->calls();
  long all = 0;
  PMPI_Reduce(&calls, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("differential: %ld collective calls checked in %d steps, seed %llu\n", all,
                programs[0]->steps(), static_cast<unsigned long long>(options.seed));
  }
  programs.clear();
  if (worlds.size() > 1) MPI_Comm_free(&worlds[1]);
  MPI_Finalize();
  return 0;
}
